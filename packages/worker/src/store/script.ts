import { createHash } from 'node:crypto';
import type { RedisClient } from '../redis-client.ts';

export type Script = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/** A script by its hash; where Redis does not know it yet, or does not any more, with its text. */
export function scriptOn(redis: RedisClient, lua: string): Script {
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
