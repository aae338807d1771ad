import type { Store } from '@pawl/runtime';
import { connectRedis, type Connected, type ConnectOptions } from './connect-redis.ts';
import { checkDurability, type DurabilityOptions } from './durability.ts';
import { redisStore } from './store/redis-store.ts';

export type OpenRedisStoreOptions = ConnectOptions &
  DurabilityOptions & {
    /** What all keys begin with; `pawl` unless told otherwise. */
    readonly prefix?: string;
  };

/** Opens a store in the Redis at an address, such as redis://user:password@host:6379/0, after looking whether it keeps what it is given. */
export async function openRedisStore(url: string, options: OpenRedisStoreOptions = {}): Promise<Store> {
  const { redis, close } = await connectDurable(url, options);
  const { prefix } = options;
  return redisStore(redis, { onClose: close, ...(prefix !== undefined && { prefix }) });
}

/** Connects to a Redis that keeps what it is given. */
export async function connectDurable(
  url: string,
  options: ConnectOptions & DurabilityOptions = {},
): Promise<Connected> {
  const connected = await connectRedis(url, options);
  try {
    await checkDurability(connected.redis, connected.place, options);
    return connected;
  } catch (error) {
    await connected.close();
    throw error;
  }
}
