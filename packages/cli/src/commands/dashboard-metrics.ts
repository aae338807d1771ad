import type { Config, Store } from '@pawl/runtime';
import type { Telemetry } from '@pawl/telemetry';
import type { SessionQueue } from '@pawl/worker';
import { openTelemetry } from './run-telemetry.ts';

export type Counted = {
  readonly store: Pick<Store, 'list'>;
  /** Where workers take sessions from, if there are any. */
  readonly queue?: Pick<SessionQueue, 'depths' | 'parked'>;
  readonly warn: (line: string) => void;
};

/** Of more sessions than these it is not asked in which state they are: somebody asks every few seconds. */
const storedMax = 10_000;

/** Counts while something is done: what runs in this process, what is in the store, and what is in the queue. */
export async function counting<Result>(
  config: Config,
  { store, queue, warn }: Counted,
  work: (telemetry: Telemetry | null) => Promise<Result>,
): Promise<Result> {
  const telemetry = await openTelemetry(config, { prometheus: true, warn });
  telemetry?.ask({
    stored: async () => (await store.list({ limit: storedMax })).map(({ status }) => status),
    ...(queue !== undefined && {
      queue: () => queue.depths(),
      parked: async () => (await queue.parked()).length,
    }),
  });
  try {
    return await work(telemetry);
  } finally {
    await telemetry?.shutdown();
  }
}
