import { StoreError, type Store } from '@pawl/runtime';
import {
  awaitRedis,
  checkDurability,
  connectRedis,
  redisStore,
  sessionQueue,
  type Connected,
  type DurabilityOptions,
  type SessionQueue,
} from '@pawl/worker';
import { UsageError, asUsageError } from '../usage-error.ts';
import { configFor } from './run-config.ts';
import { isRedis } from '../store-option.ts';

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
  readonly redis: Connected['redis'];
  readonly store: Store;
  readonly queue: SessionQueue;
};

type Warn = { readonly warn?: (line: string) => void };

/** Connects to the Redis that is meant, does something with it, and lets go of it whatever came of that. */
export function withQueue<Result>(
  flags: QueueFlags,
  { warn = () => undefined }: Warn,
  work: (place: QueuePlace) => Promise<Result>,
): Promise<Result> {
  return explained(async () => {
    const connected = await connectRedis(await addressOf(flags), { waitMs });
    return letGo(connected, async () => {
      await checkDurability(connected.redis, connected.place, durabilityFor(flags, warn));
      return within(connected, work);
    });
  });
}

/** The same for one who serves: a Redis that is not there yet is waited for. Null when that was called off. */
export function withQueueOnceThere<Result>(
  flags: QueueFlags,
  { warn, signal }: Required<Warn> & { readonly signal: AbortSignal },
  work: (place: QueuePlace) => Promise<Result>,
): Promise<Result | null> {
  return explained(async () => {
    const connected = await awaitRedis(await addressOf(flags), {
      ...durabilityFor(flags, warn),
      signal,
      onAway: (place, reason) =>
        warn(`Waiting for ${place}: ${reason}. It is tried again until it is there; Ctrl-C ends it.`),
      onThere: (place) => warn(`${place} is there.`),
    });
    return connected === null ? null : letGo(connected, () => within(connected, work));
  });
}

/** How long whoever asks something once waits for Redis, in milliseconds. */
const waitMs = 5_000;

function durabilityFor({ allowLoss }: QueueFlags, warn: (line: string) => void): DurabilityOptions {
  return { durability: allowLoss === true ? 'warn' : 'refuse', onWarning: warn };
}

async function within<Result>(
  { redis }: Connected,
  work: (place: QueuePlace) => Promise<Result>,
): Promise<Result> {
  const store = redisStore(redis);
  const queue = sessionQueue(redis, store);
  try {
    return await work({ redis, store, queue });
  } finally {
    await queue.close();
  }
}

async function letGo<Result>({ close }: Connected, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await close();
  }
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asUsageError(error, StoreError);
  }
}

/** The command line first, then the environment, then the configuration. */
async function addressOf({ dir, store }: QueueFlags): Promise<string> {
  const named = store ?? process.env['PAWL_REDIS_URL'] ?? (await configFor(dir, {}, null)).config.store;
  if (named !== undefined && isRedis(named)) return named;
  throw new UsageError(
    'Workers need a Redis that all of them reach: name it with --store redis://host:6379, with PAWL_REDIS_URL, or as store in the configuration.',
  );
}
