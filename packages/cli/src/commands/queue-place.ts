import { StoreError, type Store } from '@pawl/runtime';
import { checkDurability, connectRedis, redisStore, sessionQueue, type SessionQueue } from '@pawl/worker';
import { UsageError } from '../usage-error.ts';
import { configFor } from './run-config.ts';

/** Which Redis, as it stands on the command line. */
export type QueueFlags = {
  /** The folder whose configuration counts. */
  readonly dir: string;
  readonly store?: string | undefined;
  /** Take a Redis that may lose what it is given. */
  readonly allowLoss?: boolean | undefined;
  readonly json?: boolean | undefined;
};

export type QueuePlace = {
  readonly redis: Awaited<ReturnType<typeof connectRedis>>['redis'];
  readonly store: Store;
  readonly queue: SessionQueue;
};

export type Waits = {
  /** How long to wait for Redis, in milliseconds. */
  readonly waitMs?: number;
  readonly warn?: (line: string) => void;
};

/** Connects to the Redis that is meant, does something with it, and lets go of it whatever came of that. */
export async function withQueue<Result>(
  flags: QueueFlags,
  { waitMs = 5_000, warn = () => undefined }: Waits,
  work: (place: QueuePlace) => Promise<Result>,
): Promise<Result> {
  try {
    const { redis, place, close } = await connectRedis(await addressOf(flags), { waitMs });
    try {
      await checkDurability(redis, place, {
        durability: flags.allowLoss === true ? 'warn' : 'refuse',
        onWarning: warn,
      });
      const store = redisStore(redis);
      const queue = sessionQueue(redis, store);
      try {
        return await work({ redis, store, queue });
      } finally {
        await queue.close();
      }
    } finally {
      await close();
    }
  } catch (error) {
    throw error instanceof StoreError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/** The command line first, then the environment, then the configuration. */
async function addressOf({ dir, store }: QueueFlags): Promise<string> {
  const named = store ?? process.env['PAWL_REDIS_URL'] ?? (await configFor(dir, {}, null)).config.store;
  if (named !== undefined && /^rediss?:\/\//.test(named)) return named;
  throw new UsageError(
    'Workers need a Redis that all of them reach: name it with --store redis://host:6379, with PAWL_REDIS_URL, or as store in the configuration.',
  );
}
