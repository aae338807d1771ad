import type { Cluster, Redis } from 'ioredis';
import { StoreError, type StoreErrorCode } from '@pawl/runtime/store';
import { createHash } from 'node:crypto';

/** A single Redis or a cluster. */
export type RedisClient = Redis | Cluster;

/** Maps prefixes of Redis errors to store error codes. */
const storeCodePatterns: readonly (readonly [beginning: RegExp, code: StoreErrorCode])[] = [
  // Redis reports these before it has written anything.
  [/^(?:OOM|MISCONF)\b/, 'full'],
  [/^(?:LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS)\b/, 'busy'],
];

/** Strips the script reference, which does not help the user. */
const scriptSuffixPattern = / script: [\da-f]{40}, on @user_script:\d+\.?$/;

/** Runs a Redis operation and translates its errors into store errors. */
export async function translateRedisErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error);
  }
}

function toStoreError(error: unknown): Error {
  if (error instanceof StoreError) return error;
  const message = (error instanceof Error ? error.message : String(error)).replace(scriptSuffixPattern, '');
  const code = storeCodePatterns.find(([beginning]) => beginning.test(message))?.[1] ?? 'unreadable';
  return new StoreError(code, 'Redis', getRedisErrorReason(error, message), error);
}

/** A network error may have only a code and no message. */
function getRedisErrorReason(error: unknown, message: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return message === '' ? code : message;
}

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
