import { translateRedisErrors, createRedisScript, type RedisClient } from './redis/redis-client.ts';
import { buildSessionKeys } from './store/keys.ts';

/** A session that no worker claims until a user has looked at it. */
export type DeadLetter = { readonly session: string; readonly reason: string; readonly at: number };

/** The event at which an attempt started, and how many attempts in a row did not end normally, including this one. */
export type SessionAttempt = { readonly head: number; readonly count: number };

/** Counts how often a session has crashed its worker, and keeps the dead letters. */
export type CrashLedger = {
  /**
   * Counts an attempt to run the session. If the session made progress since the last attempt, the count restarts.
   * Null, without counting, if it is a dead letter or does not exist.
   */
  startAttempt(session: string): Promise<SessionAttempt | null>;
  /** Resets the count after the attempt ended normally. */
  endAttempt(session: string): Promise<void>;
  /**
   * Makes the session a dead letter; resolves to whether it is one. With `crashes`, only if the count is still above
   * that, because meanwhile the session may have been retried or may have ended normally.
   */
  park(parked: DeadLetter, crashes?: number): Promise<boolean>;
  /** Why it is a dead letter; null if it is not one. */
  reason(session: string): Promise<string | null>;
  parked(): Promise<readonly DeadLetter[]>;
  /** Resolves to whether it was a dead letter. Resets the count. */
  unpark(session: string): Promise<boolean>;
};

/** A session that advanced this many events since its last attempt has made progress. */
export const progressEventsMin = 20;

/** KEYS: crash ledger, session. ARGV: minimum number of events that count as progress. */
const startAttemptScript = `
local head = redis.call('HGET', KEYS[2], 'head')
local care = redis.call('HMGET', KEYS[1], 'parked', 'head')
if not head or care[1] then return false end
if head - (care[2] or head) >= tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], 'begun') end
redis.call('HSET', KEYS[1], 'head', head)
return {tonumber(head), redis.call('HINCRBY', KEYS[1], 'begun', 1)}
`;

/** KEYS: crash ledger. ARGV: the reason, the time, the minimum number of attempts. */
const deadLetterScript = `
if tonumber(redis.call('HGET', KEYS[1], 'begun') or 0) < tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], 'parked', ARGV[1], 'at', ARGV[2])
return 1
`;

export function createCrashLedger(redis: RedisClient, prefix: string): CrashLedger {
  const deadLettersKey = `${prefix}:parked`;
  const runStartAttempt = createRedisScript(redis, startAttemptScript);
  const runPark = createRedisScript(redis, deadLetterScript);
  const getLedgerKey = (session: string): string => buildSessionKeys(prefix, session).care;
  return {
    startAttempt: (session) =>
      translateRedisErrors(async () => {
        const keys = buildSessionKeys(prefix, session);
        const reply = (await runStartAttempt([keys.care, keys.session], [progressEventsMin])) as
          | [number, number]
          | null;
        return reply === null ? null : { head: reply[0], count: reply[1] };
      }),
    endAttempt: (session) =>
      translateRedisErrors(async () => {
        await redis.hdel(getLedgerKey(session), 'begun');
      }),
    park: ({ session, reason, at }, crashes = -1) =>
      translateRedisErrors(async () => {
        // List it first: a listed session that is not parked is skipped, but a parked one that is not listed would
        // never be found.
        await redis.zadd(deadLettersKey, at, session);
        return (await runPark([getLedgerKey(session)], [reason, at, crashes + 1])) === 1;
      }),
    reason: (session) => translateRedisErrors(() => redis.hget(getLedgerKey(session), 'parked')),
    parked: () =>
      translateRedisErrors(async () => {
        const ids = await redis.zrange(deadLettersKey, 0, -1);
        const letters = await Promise.all(
          ids.map(async (session) => {
            const [reason, at] = await redis.hmget(getLedgerKey(session), 'parked', 'at');
            return reason === null || reason === undefined ? [] : [{ session, reason, at: Number(at) }];
          }),
        );
        return letters.flat();
      }),
    unpark: (session) =>
      translateRedisErrors(async () => {
        // Being listed is not enough, because a session is listed before it is parked.
        const wasParked = (await redis.hexists(getLedgerKey(session), 'parked')) === 1;
        await redis.del(getLedgerKey(session));
        await redis.zrem(deadLettersKey, session);
        return wasParked;
      }),
  };
}
