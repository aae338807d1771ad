import type { CommandChannel } from '@pawl/runtime/commands';
import type { SessionSummary } from '@pawl/runtime/store';
import type { CrashLedger } from './crash-ledger.ts';
import { readSessionHead, type SessionHead } from './store/loaded-session.ts';
import { getQueueAssignment, toWakeOptions } from './queue-assignment.ts';
import type { TenantQueues } from './tenant-queues.ts';
import { translateRedisErrors, type RedisClient } from './redis/redis-client.ts';
import { getSessionListKey } from './store/keys.ts';

type SweepContext = {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly queues: TenantQueues;
  readonly commands: CommandChannel;
  readonly crashLedger: CrashLedger;
  readonly now: number;
  /** How many recently updated sessions to check each time, and how many of the older ones, in rotation. */
  readonly newest: number;
  readonly older: number;
};

/** Statuses in which nothing happens until a user responds. */
const waitingForPeopleStatuses: ReadonlySet<SessionSummary['status']> = new Set([
  'waitingForUser',
  'awaitingPermission',
  'paused',
]);

const sweptOutStatuses: ReadonlySet<SessionSummary['status']> = new Set([
  'halted',
  'shuttingDown',
  'damaged',
]);

/** Number of sessions checked concurrently. */
const sweepBatchSize = 200;

/**
 * Wakes every session that has work to do and is in no queue. The queue is only a hint: jobs that it lost, for example
 * in a crash between the write to the log and the queue, are recreated here. Resolves to the ids of the woken sessions.
 */
export function sweepSessions(context: SweepContext): Promise<readonly string[]> {
  return translateRedisErrors(async () => {
    const ids = [
      ...(await listStoredSessionIds(context, 0, context.newest)),
      ...(await listNextOlderIds(context)),
    ];
    const probe = createSweepProbe(context);
    const requeued: string[] = [];
    for (let from = 0; from < ids.length; from += sweepBatchSize) {
      const some = ids.slice(from, from + sweepBatchSize);
      const results = await Promise.all(some.map((id) => wakeIfForgotten(id, probe)));
      requeued.push(...results.filter((id) => id !== null));
    }
    return requeued;
  });
}

function listStoredSessionIds(
  { redis, prefix }: SweepContext,
  from: number,
  count: number,
): Promise<string[]> {
  return redis.zrevrange(getSessionListKey(prefix), from, from + count - 1);
}

/** Continues where the last sweep stopped, and restarts after the oldest session. */
async function listNextOlderIds(context: SweepContext): Promise<readonly string[]> {
  const { redis, prefix, newest, older } = context;
  const key = `${prefix}:swept`;
  const from = Math.max(newest, Number(await redis.get(key)) || 0);
  const ids = await listStoredSessionIds(context, from, older);
  await redis.set(key, ids.length < older ? newest : from + older);
  return ids;
}

/** The dependencies for checking one session. */
export type SweepProbe = Pick<SweepContext, 'commands' | 'crashLedger' | 'now'> & {
  readonly readSessionHead: (id: string) => Promise<Pick<SessionHead, 'head' | 'metadata' | 'status'> | null>;
  readonly isQueued: (tenant: string, id: string) => Promise<boolean>;
  readonly wake: TenantQueues['wake'];
};

function createSweepProbe({ redis, prefix, queues, commands, crashLedger, now }: SweepContext): SweepProbe {
  return {
    commands,
    crashLedger,
    now,
    readSessionHead: (id) => readSessionHead(redis, prefix, id),
    isQueued: (tenant, id) => isJobQueued(queues, tenant, id),
    wake: (wake, options) => queues.wake(wake, options),
  };
}

/** Resolves to null if the session needs no wake-up or is not run by workers. */
export async function wakeIfForgotten(id: string, probe: SweepProbe): Promise<string | null> {
  const { commands, crashLedger, now } = probe;
  const head = await probe.readSessionHead(id);
  const assignment = head === null ? null : getQueueAssignment(head.metadata);
  if (head === null || assignment === null || sweptOutStatuses.has(head.status)) return null;
  if (waitingForPeopleStatuses.has(head.status) && (await commands.listPending(id)).length === 0) return null;
  if ((await crashLedger.reason(id)) !== null || (await probe.isQueued(assignment.tenant, id))) return null;
  await probe.wake({ session: id, version: head.head }, toWakeOptions(assignment, now));
  return id;
}

async function isJobQueued(queues: TenantQueues, tenant: string, id: string): Promise<boolean> {
  const queue = queues.getQueue(tenant);
  const job = await queue.getDeduplicationJobId(encodeURIComponent(id));
  return job !== null && (await queue.getJob(job)) !== undefined;
}
