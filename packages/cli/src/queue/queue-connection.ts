import { StoreError, type Store } from '@pawl/runtime/store';
import {
  awaitRedis,
  checkDurability,
  connectRedis,
  createRedisStore,
  createSessionQueue,
  type RedisConnection,
  type DurabilityOptions,
  type SessionQueue,
} from '@pawl/worker';
import { UsageError, toUsageError } from '../output/exit-codes.ts';
import { loadConfig } from '../options/load-config.ts';
import { isRedisUrl } from '../sessions/store-option.ts';

/** Redis flags of the command line. */
export type QueueFlags = {
  /** The folder whose configuration applies. */
  readonly dir: string;
  readonly store?: string | undefined;
  /** Allow a Redis without durable persistence. */
  readonly allowLoss?: boolean | undefined;
  readonly json?: boolean | undefined;
};

export type QueueConnection = {
  readonly redis: RedisConnection['redis'];
  readonly store: Store;
  readonly queue: SessionQueue;
};

type QueueWarnings = { readonly warn?: (line: string) => void };

/** Connects to the configured Redis, runs `work`, and always closes the connection afterwards. */
export function withQueue<Result>(
  flags: QueueFlags,
  { warn = () => undefined }: QueueWarnings,
  work: (connection: QueueConnection) => Promise<Result>,
): Promise<Result> {
  return withStoreUsageErrors(async () => {
    const connected = await connectRedis(await resolveRedisUrl(flags), { waitMs: connectTimeoutMs });
    return runAndCloseConnection(connected, async () => {
      await checkDurability(connected.redis, connected.address, getDurabilityOptions(flags, warn));
      return withOpenQueue(connected, work);
    });
  });
}

/** Like {@link withQueue}, for servers: waits until Redis is reachable. Null if the wait was aborted. */
export function withAwaitedQueue<Result>(
  flags: QueueFlags,
  { warn, signal }: Required<QueueWarnings> & { readonly signal: AbortSignal },
  work: (connection: QueueConnection) => Promise<Result>,
): Promise<Result | null> {
  return withStoreUsageErrors(async () => {
    const connected = await awaitRedis(await resolveRedisUrl(flags), {
      ...getDurabilityOptions(flags, warn),
      signal,
      onDisconnected: (address, reason) =>
        warn(`Waiting for ${address}: ${reason}. Retrying until it is reachable; press Ctrl-C to stop.`),
      onConnected: (address) => warn(`Connected to ${address}.`),
    });
    return connected === null ? null : runAndCloseConnection(connected, () => withOpenQueue(connected, work));
  });
}

/** Connect timeout for one-off commands. */
const connectTimeoutMs = 5_000;

function getDurabilityOptions({ allowLoss }: QueueFlags, warn: (line: string) => void): DurabilityOptions {
  return { durability: allowLoss === true ? 'warn' : 'refuse', onWarning: warn };
}

async function withOpenQueue<Result>(
  { redis }: RedisConnection,
  work: (connection: QueueConnection) => Promise<Result>,
): Promise<Result> {
  const store = createRedisStore(redis);
  const queue = createSessionQueue(redis, store);
  try {
    return await work({ redis, store, queue });
  } finally {
    await queue.close();
  }
}

async function runAndCloseConnection<Result>(
  { close }: RedisConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    await close();
  }
}

async function withStoreUsageErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toUsageError(error, StoreError);
  }
}

/** Precedence: command line, environment, configuration. */
export async function resolveRedisUrl({ dir, store }: QueueFlags): Promise<string> {
  const url = store ?? process.env['PAWL_REDIS_URL'] ?? (await loadConfig(dir, {}, null)).config.store;
  if (url !== undefined && isRedisUrl(url)) return url;
  throw new UsageError(
    'Workers need a shared Redis. Specify it with --store redis://host:6379, with PAWL_REDIS_URL, or as store in the configuration.',
  );
}
