import type { SessionSummary } from '@pawl/runtime';
import { glimpseOf } from './glimpse.ts';
import { queuedIn } from './queued.ts';
import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';
import { keysOf, listKey } from './store/keys.ts';
import { scriptOn, type Script } from './store/script.ts';

type Retention = {
  readonly prefix: string;
  /** What was last worked on before this time may go. */
  readonly before: number;
  readonly onRemoved: (session: string) => void;
};

/** What has nothing left to do. A session that waits for permission or is paused is not among them: it is owed an answer. */
const over: ReadonlySet<SessionSummary['status']> = new Set(['waitingForUser', 'halted', 'shuttingDown']);

/**
 * Removes a session if it is as it was when it was looked at, nobody has asked anything of it since, and it is not parked.
 *
 * KEYS: session, commands, care, and all else of the session. ARGV: the number of its last change.
 */
const removeScript = `
if redis.call('HGET', KEYS[1], 'rev') ~= ARGV[1] then return 0 end
if redis.call('XLEN', KEYS[2]) > 0 or redis.call('HEXISTS', KEYS[3], 'parked') == 1 then return 0 end
redis.call('DEL', unpack(KEYS))
return 1
`;

/** How many are looked at side by side. */
const atOnce = 200;

/** Removes sessions of workers that ended long ago. Those that are damaged, parked or run by hand are left to people. */
export function removeOld(redis: RedisClient, retention: Retention): Promise<void> {
  const remove = scriptOn(redis, removeScript);
  const list = listKey(retention.prefix);
  return translated(async () => {
    for (let from = 0; ;) {
      const range = [`(${retention.before}`, 'LIMIT', from, atOnce] as const;
      const ids = await redis.zrangebyscore(list, '-inf', ...range);
      if (ids.length === 0) return;
      const gone = await Promise.all(ids.map((id) => removeIfOver(id, { redis, remove, ...retention })));
      for (const id of gone) if (id !== null) retention.onRemoved(id);
      // Those that stay are skipped in the next round.
      from += gone.filter((id) => id === null).length;
    }
  });
}

async function removeIfOver(
  id: string,
  { redis, remove, prefix }: Retention & { readonly redis: RedisClient; readonly remove: Script },
): Promise<string | null> {
  const seen = await glimpseOf(redis, prefix, id);
  if (seen === null || !over.has(seen.status) || queuedIn(seen.about) === null) return null;
  const { session, commands, care, ...rest } = keysOf(prefix, id);
  const done = await remove([session, commands, care, ...Object.values(rest)], [seen.rev]);
  if (done !== 1) return null;
  await redis.zrem(listKey(prefix), id);
  return id;
}
