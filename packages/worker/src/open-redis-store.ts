import type { Store } from '@pawl/runtime';
import { connectRedis, type ConnectOptions } from './connect-redis.ts';
import { checkDurability, type DurabilityOptions } from './durability.ts';
import { redisStore } from './store/redis-store.ts';

export type OpenRedisStoreOptions = ConnectOptions &
  DurabilityOptions & {
    /** What all keys begin with; `pawl` unless told otherwise. */
    readonly prefix?: string;
  };

/** Opens a store in the Redis at an address, such as redis://user:password@host:6379/0, after looking whether it keeps what it is given. */
export async function openRedisStore(url: string, options: OpenRedisStoreOptions = {}): Promise<Store> {
  const { redis, place, close } = await connectRedis(url, options);
  try {
    await checkDurability(redis, place, options);
  } catch (error) {
    await close();
    throw error;
  }
  const { prefix } = options;
  return redisStore(redis, { onClose: close, ...(prefix !== undefined && { prefix }) });
}
