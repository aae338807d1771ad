import { createHash } from 'node:crypto';
import type { RedisClient } from './redis-client.ts';

export type RedisScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/** Runs a script by its hash, and sends its text if Redis does not have it cached. */
export function createRedisScript(redis: RedisClient, lua: string): RedisScript {
  const sha = createHash('sha1').update(lua).digest('hex');
  return async (keys, args) => {
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      const isUnknown = error instanceof Error && error.message.startsWith('NOSCRIPT');
      if (!isUnknown) throw error;
      return redis.eval(lua, keys.length, ...keys, ...args);
    }
  };
}
