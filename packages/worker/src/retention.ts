import type { SessionSummary } from '@pawl/runtime/store';
import { readSessionHead } from './store/loaded-session.ts';
import { getQueueAssignment } from './queue-assignment.ts';
import {
  translateRedisErrors,
  createRedisScript,
  type RedisClient,
  type RedisScript,
} from './redis/redis-client.ts';
import { buildSessionKeys, getSessionListKey } from './store/keys.ts';

type RetentionOptions = {
  readonly prefix: string;
  /** Sessions last updated before this time may be removed. */
  readonly before: number;
  readonly onRemoved: (session: string) => void;
};

/**
 * Statuses with nothing left to do. A session that awaits permission or is paused is excluded, because it still needs
 * an answer.
 */
const removableStatuses: ReadonlySet<SessionSummary['status']> = new Set([
  'waitingForUser',
  'halted',
  'shuttingDown',
]);

/**
 * Removes a session if it has not changed since it was read, has no pending commands and is not a dead letter.
 *
 * KEYS: session, commands, crash ledger, and all other keys of the session. ARGV: its revision.
 */
const removeSessionScript = `
if redis.call('HGET', KEYS[1], 'rev') ~= ARGV[1] then return 0 end
if redis.call('XLEN', KEYS[2]) > 0 or redis.call('HEXISTS', KEYS[3], 'parked') == 1 then return 0 end
redis.call('DEL', unpack(KEYS))
return 1
`;

/** Number of sessions checked concurrently. */
const removalBatchSize = 200;

/**
 * Removes worker sessions that ended long ago. Damaged sessions, dead letters and manually run sessions are left to
 * users.
 */
export function removeExpiredSessions(redis: RedisClient, retention: RetentionOptions): Promise<void> {
  const remove = createRedisScript(redis, removeSessionScript);
  const list = getSessionListKey(retention.prefix);
  return translateRedisErrors(async () => {
    for (let from = 0; ;) {
      const range = [`(${retention.before}`, 'LIMIT', from, removalBatchSize] as const;
      const ids = await redis.zrangebyscore(list, '-inf', ...range);
      if (ids.length === 0) return;
      const removals = await Promise.all(ids.map((id) => removeIfEnded(id, { redis, remove, ...retention })));
      for (const id of removals) if (id !== null) retention.onRemoved(id);
      // Skip the remaining sessions in the next round.
      from += removals.filter((id) => id === null).length;
    }
  });
}

async function removeIfEnded(
  id: string,
  { redis, remove, prefix }: RetentionOptions & { readonly redis: RedisClient; readonly remove: RedisScript },
): Promise<string | null> {
  const head = await readSessionHead(redis, prefix, id);
  if (head === null || !removableStatuses.has(head.status) || getQueueAssignment(head.metadata) === null)
    return null;
  const { session, commands, care, ...rest } = buildSessionKeys(prefix, id);
  const reply = await remove([session, commands, care, ...Object.values(rest)], [head.rev]);
  if (reply !== 1) return null;
  await redis.zrem(getSessionListKey(prefix), id);
  return id;
}
