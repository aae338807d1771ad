import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';
import { keysOf } from './store/keys.ts';
import { scriptOn } from './store/script.ts';

/** A session that no worker takes up until somebody has looked at it. */
export type Parked = { readonly session: string; readonly reason: string; readonly at: number };

/** At which event a session was taken up, and how often in a row that did not end in order, this time included. */
export type Begun = { readonly head: number; readonly times: number };

/** Keeps count of how often a session has brought a worker down, and which ones are left alone for it. */
export type Care = {
  /**
   * Counts that the session was taken up once more. A session that got somewhere in between does not bring its workers down:
   * its count begins anew. Null, and nothing is counted, where it is parked or gone.
   */
  begin(session: string): Promise<Begun | null>;
  /** It ended in order: what was before counts no more. */
  end(session: string): Promise<void>;
  /**
   * Resolves to whether it is parked. With `crashes`, it is only if its count is still above that: meanwhile somebody may have
   * given it another chance, or it may have ended in order after all.
   */
  park(parked: Parked, crashes?: number): Promise<boolean>;
  /** Why it is left alone; null if it is not. */
  reason(session: string): Promise<string | null>;
  parked(): Promise<readonly Parked[]>;
  /** Resolves to whether it was parked. Its count begins anew. */
  unpark(session: string): Promise<boolean>;
};

/** A session that is this many events further than when it was last taken up has got somewhere. */
export const eventsOfProgress = 20;

/** KEYS: care, session. ARGV: how many events are progress. */
const beginScript = `
local head = redis.call('HGET', KEYS[2], 'head')
local care = redis.call('HMGET', KEYS[1], 'parked', 'head')
if not head or care[1] then return false end
if head - (care[2] or head) >= tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], 'begun') end
redis.call('HSET', KEYS[1], 'head', head)
return {tonumber(head), redis.call('HINCRBY', KEYS[1], 'begun', 1)}
`;

/** KEYS: care. ARGV: the reason, the time, how often it must have been taken up at least. */
const parkScript = `
if tonumber(redis.call('HGET', KEYS[1], 'begun') or 0) < tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], 'parked', ARGV[1], 'at', ARGV[2])
return 1
`;

export function careOf(redis: RedisClient, prefix: string): Care {
  const all = `${prefix}:parked`;
  const begin = scriptOn(redis, beginScript);
  const park = scriptOn(redis, parkScript);
  const key = (session: string): string => keysOf(prefix, session).care;
  return {
    begin: (session) =>
      translated(async () => {
        const keys = keysOf(prefix, session);
        const begun = (await begin([keys.care, keys.session], [eventsOfProgress])) as [number, number] | null;
        return begun === null ? null : { head: begun[0], times: begun[1] };
      }),
    end: (session) =>
      translated(async () => {
        await redis.hdel(key(session), 'begun');
      }),
    park: ({ session, reason, at }, crashes = -1) =>
      translated(async () => {
        // Listed first: one that is listed but not parked is passed over, one that is parked but not listed would never be seen.
        await redis.zadd(all, at, session);
        return (await park([key(session)], [reason, at, crashes + 1])) === 1;
      }),
    reason: (session) => translated(() => redis.hget(key(session), 'parked')),
    parked: () =>
      translated(async () => {
        const ids = await redis.zrange(all, 0, -1);
        const found = await Promise.all(
          ids.map(async (session) => {
            const [reason, at] = await redis.hmget(key(session), 'parked', 'at');
            return reason === null || reason === undefined ? [] : [{ session, reason, at: Number(at) }];
          }),
        );
        return found.flat();
      }),
    unpark: (session) =>
      translated(async () => {
        // Being listed is not enough: it is listed before it is decided whether it is parked.
        const wasParked = (await redis.hexists(key(session), 'parked')) === 1;
        await redis.del(key(session));
        await redis.zrem(all, session);
        return wasParked;
      }),
  };
}
