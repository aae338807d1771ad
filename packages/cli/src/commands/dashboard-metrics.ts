import type { Config, Store } from '@pawl/runtime';
import type { GaugeSources, TelemetryClient } from '@pawl/telemetry';
import type { SessionQueue } from '@pawl/worker';
import { openTelemetry } from './run-telemetry.ts';

export type MetricsContext = {
  readonly store: Pick<Store, 'list'>;
  /** The queue that workers take sessions from, if there is one. */
  readonly queue?: Pick<SessionQueue, 'depths' | 'parked'>;
  readonly warn: (line: string) => void;
};

/** Maximum number of sessions counted by state, because metrics are scraped every few seconds. */
const maxCountedSessions = 10_000;

/** Collects metrics while `work` runs: from this process, the store and the queue. */
export async function withDashboardTelemetry<Result>(
  config: Config,
  { warn, ...sources }: MetricsContext,
  work: (telemetry: TelemetryClient | null) => Promise<Result>,
): Promise<Result> {
  const telemetry = await openTelemetry(config, { prometheus: true, warn });
  telemetry?.ask(createMetricSources(sources));
  try {
    return await work(telemetry);
  } finally {
    await telemetry?.shutdown();
  }
}

/** Gauge sources that read the store and the queue. */
export function createMetricSources({ store, queue }: Omit<MetricsContext, 'warn'>): GaugeSources {
  return {
    stored: async () => (await store.list({ limit: maxCountedSessions })).map(({ status }) => status),
    ...(queue !== undefined && {
      queue: () => queue.depths(),
      parked: async () => (await queue.parked()).length,
    }),
  };
}
