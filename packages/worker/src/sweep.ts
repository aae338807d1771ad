import type { SessionSummary, Store } from '@pawl/runtime';
import type { Care } from './care.ts';
import type { CommandChannel } from './commands/channel.ts';
import { queuedIn, wakeOptionsFor } from './queued.ts';
import type { Queues } from './queues.ts';

type Means = {
  readonly store: Store;
  readonly queues: Queues;
  readonly commands: CommandChannel;
  readonly care: Care;
  readonly now: number;
  readonly limit: number;
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
export async function sweep(means: Means): Promise<readonly string[]> {
  const all = await means.store.list({ limit: means.limit });
  const woken: string[] = [];
  for (let from = 0; from < all.length; from += atOnce) {
    const some = await Promise.all(
      all.slice(from, from + atOnce).map((each) => wakeIfForgotten(each, means)),
    );
    woken.push(...some.filter((id) => id !== null));
  }
  return woken;
}

/** Null when it is not forgotten, or not for workers at all. */
async function wakeIfForgotten(summary: SessionSummary, means: Means): Promise<string | null> {
  const { id, head, about, status } = summary;
  const { queues, commands, care, now } = means;
  const queued = queuedIn(about);
  if (queued === null || over.has(status)) return null;
  if (waitingForPeople.has(status) && (await commands.waiting(id)).length === 0) return null;
  if ((await care.reason(id)) !== null || (await isQueued(queues, queued.tenant, id))) return null;
  await queues.wake({ session: id, version: head }, wakeOptionsFor(queued, now));
  return id;
}

async function isQueued(queues: Queues, tenant: string, id: string): Promise<boolean> {
  const queue = queues.of(tenant);
  const job = await queue.getDeduplicationJobId(encodeURIComponent(id));
  return job !== null && (await queue.getJob(job)) !== undefined;
}
