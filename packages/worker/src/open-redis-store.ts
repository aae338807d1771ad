import type { Store } from '@pawl/runtime/store';
import { connectRedis, type RedisConnection, type ConnectRedisOptions } from './redis/connect-redis.ts';
import { checkDurability, type DurabilityOptions } from './redis/durability.ts';
import { createRedisStore } from './store/redis-store.ts';

export type OpenRedisStoreOptions = ConnectRedisOptions &
  DurabilityOptions & {
    /** Prefix of all keys; defaults to `pawl`. */
    readonly prefix?: string;
  };

/**
 * Opens a store in the Redis at an address such as redis://user:password@host:6379/0, after checking its durability.
 */
export async function openRedisStore(url: string, options: OpenRedisStoreOptions = {}): Promise<Store> {
  const { redis, close } = await connectDurableRedis(url, options);
  const { prefix } = options;
  return createRedisStore(redis, { onClose: close, ...(prefix !== undefined && { prefix }) });
}

/** Connects to Redis and checks its durability. */
export async function connectDurableRedis(
  url: string,
  options: ConnectRedisOptions & DurabilityOptions = {},
): Promise<RedisConnection> {
  const connected = await connectRedis(url, options);
  try {
    await checkDurability(connected.redis, connected.address, options);
    return connected;
  } catch (error) {
    await connected.close();
    throw error;
  }
}
