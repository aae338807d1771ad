import type { CommandChannel, SessionSummary } from '@pawl/runtime';
import type { Care } from './care.ts';
import { glimpseOf } from './glimpse.ts';
import { queuedIn, wakeOptionsFor } from './queued.ts';
import type { Queues } from './queues.ts';
import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';
import { listKey } from './store/keys.ts';

type Means = {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly queues: Queues;
  readonly commands: CommandChannel;
  readonly care: Care;
  readonly now: number;
  /** How many of those last worked on are looked at each time, and how many of the others, in turns. */
  readonly newest: number;
  readonly older: number;
};

/** Where nothing goes on until a person says something. */
const waitingForPeople: ReadonlySet<SessionSummary['status']> = new Set([
  'waitingForUser',
  'awaitingPermission',
  'paused',
]);

const over: ReadonlySet<SessionSummary['status']> = new Set(['halted', 'shuttingDown', 'damaged']);

/** So many are looked at side by side. */
const atOnce = 200;

/**
 * Wakes every session that has something to do and is in no queue. The queue is only a hint: what it lost, a crash between
 * the log and the queue for one, is found again here. Gives the ids of those it woke.
 */
export function sweep(means: Means): Promise<readonly string[]> {
  return translated(async () => {
    const ids = [...(await idsFrom(means, 0, means.newest)), ...(await nextOlder(means))];
    const woken: string[] = [];
    for (let from = 0; from < ids.length; from += atOnce) {
      const some = ids.slice(from, from + atOnce);
      const found = await Promise.all(some.map((id) => wakeIfForgotten(id, means)));
      woken.push(...found.filter((id) => id !== null));
    }
    return woken;
  });
}

function idsFrom({ redis, prefix }: Means, from: number, count: number): Promise<string[]> {
  return redis.zrevrange(listKey(prefix), from, from + count - 1);
}

/** Where the last one who swept has stopped, the next one goes on; after the last of them it begins anew. */
async function nextOlder(means: Means): Promise<readonly string[]> {
  const { redis, prefix, newest, older } = means;
  const key = `${prefix}:swept`;
  const from = Math.max(newest, Number(await redis.get(key)) || 0);
  const ids = await idsFrom(means, from, older);
  await redis.set(key, ids.length < older ? newest : from + older);
  return ids;
}

/** Null when it is not forgotten, or not for workers at all. */
async function wakeIfForgotten(id: string, means: Means): Promise<string | null> {
  const { redis, prefix, queues, commands, care, now } = means;
  const seen = await glimpseOf(redis, prefix, id);
  const queued = seen === null ? null : queuedIn(seen.about);
  if (seen === null || queued === null || over.has(seen.status)) return null;
  if (waitingForPeople.has(seen.status) && (await commands.waiting(id)).length === 0) return null;
  if ((await care.reason(id)) !== null || (await isQueued(queues, queued.tenant, id))) return null;
  await queues.wake({ session: id, version: seen.head }, wakeOptionsFor(queued, now));
  return id;
}

async function isQueued(queues: Queues, tenant: string, id: string): Promise<boolean> {
  const queue = queues.of(tenant);
  const job = await queue.getDeduplicationJobId(encodeURIComponent(id));
  return job !== null && (await queue.getJob(job)) !== undefined;
}
