import type { CommandChannel, SessionSummary } from '@pawl/runtime';
import type { Care } from './care.ts';
import { glimpseOf, type Glimpse } from './glimpse.ts';
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

/** How many are looked at side by side. */
const atOnce = 200;

/**
 * Wakes every session that has something to do and is in no queue. The queue is only a hint: what it lost, for
 * instance by a crash between the log and the queue, is found again here. Resolves to the ids of those it woke.
 */
export function sweep(means: Means): Promise<readonly string[]> {
  return translated(async () => {
    const ids = [...(await idsFrom(means, 0, means.newest)), ...(await nextOlder(means))];
    const look = lookWith(means);
    const woken: string[] = [];
    for (let from = 0; from < ids.length; from += atOnce) {
      const some = ids.slice(from, from + atOnce);
      const found = await Promise.all(some.map((id) => wakeIfForgotten(id, look)));
      woken.push(...found.filter((id) => id !== null));
    }
    return woken;
  });
}

function idsFrom({ redis, prefix }: Means, from: number, count: number): Promise<string[]> {
  return redis.zrevrange(listKey(prefix), from, from + count - 1);
}

/** Goes on where the last sweep stopped, and begins anew after the oldest session. */
async function nextOlder(means: Means): Promise<readonly string[]> {
  const { redis, prefix, newest, older } = means;
  const key = `${prefix}:swept`;
  const from = Math.max(newest, Number(await redis.get(key)) || 0);
  const ids = await idsFrom(means, from, older);
  await redis.set(key, ids.length < older ? newest : from + older);
  return ids;
}

/** What it takes to find out about one session. */
export type Look = Pick<Means, 'commands' | 'care' | 'now'> & {
  readonly glimpse: (id: string) => Promise<Pick<Glimpse, 'head' | 'about' | 'status'> | null>;
  readonly isQueued: (tenant: string, id: string) => Promise<boolean>;
  readonly wake: Queues['wake'];
};

function lookWith({ redis, prefix, queues, commands, care, now }: Means): Look {
  return {
    commands,
    care,
    now,
    glimpse: (id) => glimpseOf(redis, prefix, id),
    isQueued: (tenant, id) => isQueued(queues, tenant, id),
    wake: (wake, options) => queues.wake(wake, options),
  };
}

/** Resolves to null when it is not forgotten, or not for workers at all. */
export async function wakeIfForgotten(id: string, look: Look): Promise<string | null> {
  const { glimpse, commands, care, now } = look;
  const seen = await glimpse(id);
  const queued = seen === null ? null : queuedIn(seen.about);
  if (seen === null || queued === null || over.has(seen.status)) return null;
  if (waitingForPeople.has(seen.status) && (await commands.waiting(id)).length === 0) return null;
  if ((await care.reason(id)) !== null || (await look.isQueued(queued.tenant, id))) return null;
  await look.wake({ session: id, version: seen.head }, wakeOptionsFor(queued, now));
  return id;
}

async function isQueued(queues: Queues, tenant: string, id: string): Promise<boolean> {
  const queue = queues.of(tenant);
  const job = await queue.getDeduplicationJobId(encodeURIComponent(id));
  return job !== null && (await queue.getJob(job)) !== undefined;
}
