import type { Config, Store } from '@pawl/runtime';
import type { Sources, Telemetry } from '@pawl/telemetry';
import type { SessionQueue } from '@pawl/worker';
import { openTelemetry } from './run-telemetry.ts';

export type Counted = {
  readonly store: Pick<Store, 'list'>;
  /** Where workers take sessions from, if there are any. */
  readonly queue?: Pick<SessionQueue, 'depths' | 'parked'>;
  readonly warn: (line: string) => void;
};

/** No more sessions than this are counted by state: the metrics are asked for every few seconds. */
const storedMax = 10_000;

/** Counts while something is done: what runs in this process, what is in the store, and what is in the queue. */
export async function counting<Result>(
  config: Config,
  { warn, ...counted }: Counted,
  work: (telemetry: Telemetry | null) => Promise<Result>,
): Promise<Result> {
  const telemetry = await openTelemetry(config, { prometheus: true, warn });
  telemetry?.ask(sourcesOf(counted));
  try {
    return await work(telemetry);
  } finally {
    await telemetry?.shutdown();
  }
}

/** What the metrics ask of a store and of a queue. */
export function sourcesOf({ store, queue }: Omit<Counted, 'warn'>): Sources {
  return {
    stored: async () => (await store.list({ limit: storedMax })).map(({ status }) => status),
    ...(queue !== undefined && {
      queue: () => queue.depths(),
      parked: async () => (await queue.parked()).length,
    }),
  };
}
