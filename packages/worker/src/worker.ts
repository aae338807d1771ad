import { setTimeout as sleep } from 'node:timers/promises';
import { getProcessOwner, type Store } from '@pawl/runtime/store';
import { WaitingError, Worker, type Job } from 'bullmq';
import { processSessionJob, type JobContext, type LeasedJob } from './session-job.ts';
import type { AgentFactory } from './agent-factory.ts';
import {
  queueName,
  getQueuePrefix,
  type ScheduledRunJob,
  type QueueJob,
  type WakeJob,
} from './tenant-queues.ts';
import type { RedisClient } from './redis/redis-client.ts';
import type { SessionQueue } from './session-queue.ts';
import { restoreSchedules } from './restore-schedules.ts';
import { removeExpiredSessions } from './retention.ts';
import { startScheduledRun } from './schedules.ts';
import { defaultPrefix } from './store/redis-store.ts';
import { sweepSessions } from './sweep.ts';

export type WorkerOptions = {
  /** Connected with `waitMs: Infinity`, because a worker waits for Redis indefinitely. */
  readonly redis: RedisClient;
  readonly store: Store;
  readonly queue: SessionQueue;
  readonly agentFactory: AgentFactory;
  readonly prefix?: string;
  readonly owner?: string;
  /** Maximum number of sessions per tenant that this worker runs concurrently. */
  readonly concurrency?: number;
  /** How long a session stays with an unresponsive worker. */
  readonly leaseMs?: number;
  /** How long running work may take to end when the worker must release a session. */
  readonly graceMs?: number;
  /** How often to poll for commands. */
  readonly pollMs?: number;
  /** How often to look for sessions that are missing from the queues. */
  readonly sweepMs?: number;
  /** After this many crashed attempts in a row, a session becomes a dead letter. */
  readonly crashesMax?: number;
  /** Removes sessions that ended longer ago than this; null, the default, never removes them. */
  readonly keepMs?: number | null;
  readonly onReport?: (report: WorkerReport) => void;
};

export type WorkerReport =
  | {
      readonly kind: 'taken' | 'waiting' | 'ended' | 'left' | 'lost' | 'swept' | 'fired' | 'removed';
      readonly session: string;
    }
  | { readonly kind: 'parked'; readonly session: string; readonly reason: string }
  /** A schedule that the queue had lost was restored. */
  | { readonly kind: 'rescheduled'; readonly schedule: string; readonly tenant: string }
  /** A problem with Redis or the queue; the worker continues when it is resolved. */
  | { readonly kind: 'trouble'; readonly message: string };

export type RunningWorker = {
  /**
   * Accepts no more jobs, releases its sessions so that other workers can resume them, and resolves when done. If Redis
   * does not respond for too long, it cuts the connection; others can claim the sessions once the lease expires.
   */
  close(): Promise<void>;
};

const workerDefaults = {
  prefix: defaultPrefix,
  concurrency: 4,
  leaseMs: 10_000,
  graceMs: 5_000,
  pollMs: 300,
  sweepMs: 5_000,
  crashesMax: 5,
  keepMs: null,
  onReport: () => undefined,
};

type WorkerContext = Required<WorkerOptions>;

/** Number of sessions checked per sweep. Most losses are recent; older sessions are checked in rotation. */
const sweepSizes = { newest: 2_000, older: 8_000 } as const;

/** Starts a worker that advances queued sessions until it is closed. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const context: WorkerContext = { ...workerDefaults, owner: getProcessOwner(), ...options };
  const draining = new AbortController();
  const workers = new Map<string, Worker<QueueJob>>();
  const startTenantWorkers = async (): Promise<void> => {
    for (const tenant of await context.queue.parts.queues.tenants()) {
      if (workers.has(tenant) || draining.signal.aborted) continue;
      workers.set(tenant, createTenantWorker(tenant, context, draining.signal));
    }
  };
  const runMaintenance = async (): Promise<void> => {
    try {
      await startTenantWorkers();
      await sweepIfDue(context);
      await removeExpiredIfDue(context);
    } catch (error) {
      reportTrouble(context, error);
    }
  };
  const rounds = startRepeatedTask(context.sweepMs, runMaintenance);
  await finishesInTime(redisPatienceMs, rounds.first);
  return {
    async close() {
      draining.abort();
      const roundsEnded = rounds
        .stop()
        .then(() => Promise.all([...workers.values()].map((worker) => worker.close())));
      if (await finishesInTime(context.graceMs + redisPatienceMs, roundsEnded)) return;
      // Not awaited, because Redis may not answer this either.
      for (const worker of workers.values()) void worker.disconnect().catch(() => undefined);
    },
  };
}

/** How long an unresponsive Redis may delay the start or the end of a worker. */
const redisPatienceMs = 5_000;

/** Resolves to whether the work finished in time. */
async function finishesInTime(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const timeout = sleep(ms, false, { signal: done.signal }).catch(() => false);
  const isDone = await Promise.race([work.then(() => true), timeout]);
  done.abort();
  return isDone;
}

function createTenantWorker(tenant: string, context: WorkerContext, draining: AbortSignal): Worker<QueueJob> {
  const { redis, prefix, concurrency, leaseMs } = context;
  const worker = new Worker<QueueJob>(
    queueName,
    (job, token) =>
      isScheduledRun(job)
        ? processScheduledRun(job, tenant, context)
        : processSessionJob(
            toLeasedJob(job as Job<WakeJob>, token ?? '', leaseMs),
            toJobContext(context, draining),
          ),
    {
      connection: redis,
      prefix: getQueuePrefix(prefix, tenant),
      concurrency,
      lockDuration: leaseMs,
      // The lease renews the lock, because only then does it know how long the lock is reliable.
      skipLockRenewal: true,
      stalledInterval: Math.max(500, leaseMs / 4),
      // Crashes are counted in the crash ledger, where the count survives a job that is lost and recreated.
      maxStalledCount: 1_000_000,
      runRetryDelay: 1_000,
    },
  );
  worker.on('error', (error) => reportTrouble(context, error));
  return worker;
}

function isScheduledRun(job: Job<QueueJob>): job is Job<ScheduledRunJob> {
  return 'schedule' in job.data;
}

async function processScheduledRun(
  job: Job<ScheduledRunJob>,
  tenant: string,
  context: WorkerContext,
): Promise<void> {
  const { store, queue, owner, onReport } = context;
  const { queues, registry } = queue.parts;
  try {
    const entry = await registry.find({ tenant, name: job.data.schedule });
    // The schedule was removed after this job was created.
    if (entry?.definition === null) return;
    onReport({ kind: 'fired', session: await startScheduledRun(job, tenant, { store, queues, owner }) });
  } catch (error) {
    reportTrouble(context, error);
    throw error;
  }
}

function toJobContext(context: WorkerContext, draining: AbortSignal): JobContext {
  const { crashLedger, commands } = context.queue.parts;
  return {
    ...context,
    crashLedger,
    commands,
    draining,
    now: () => Date.now(),
  };
}

function toLeasedJob(job: Job<WakeJob>, token: string, leaseMs: number): LeasedJob {
  return {
    wake: job.data,
    extend: async () => (await job.extendLock(token, leaseMs)) === 1,
    async release() {
      await job.moveToWait(token);
      throw new WaitingError();
    },
  };
}

/** Only one worker sweeps at a time. */
async function sweepIfDue({ redis, queue, prefix, sweepMs, onReport }: WorkerContext): Promise<void> {
  const lock = await redis.set(`${prefix}:sweeping`, '1', 'PX', Math.max(1, Math.floor(sweepMs * 0.8)), 'NX');
  if (lock === null) return;
  const requeued = await sweepSessions({ redis, prefix, ...queue.parts, now: Date.now(), ...sweepSizes });
  for (const session of requeued) onReport({ kind: 'swept', session });
  await queue.parts.queues.restoreLimits();
  const restored = await restoreSchedules({ ...queue.parts, now: Date.now() });
  for (const { name, tenant } of restored) onReport({ kind: 'rescheduled', schedule: name, tenant });
}

const removeEveryMinMs = 1_000;
const removeEveryMaxMs = 3_600_000;

/** Sessions are retained for days, so checking all of them every few seconds is unnecessary. */
async function removeExpiredIfDue({ redis, prefix, keepMs, onReport }: WorkerContext): Promise<void> {
  if (keepMs === null) return;
  const everyMs = Math.min(Math.max(Math.floor(keepMs / 24), removeEveryMinMs), removeEveryMaxMs);
  if ((await redis.set(`${prefix}:removing`, '1', 'PX', everyMs, 'NX')) === null) return;
  const before = Date.now() - keepMs;
  await removeExpiredSessions(redis, {
    prefix,
    before,
    onRemoved: (session) => onReport({ kind: 'removed', session }),
  });
}

function reportTrouble({ onReport }: WorkerContext, error: unknown): void {
  onReport({ kind: 'trouble', message: error instanceof Error ? error.message : String(error) });
}

type RepeatedTask = { readonly first: Promise<void>; stop(): Promise<void> };

/** Runs rounds one after the other, with a pause in between. */
function startRepeatedTask(ms: number, round: () => Promise<void>): RepeatedTask {
  const stopped = new AbortController();
  const first = round();
  const rounds = (async () => {
    await first;
    while (!stopped.signal.aborted) {
      await sleep(ms, undefined, { signal: stopped.signal }).catch(() => undefined);
      if (!stopped.signal.aborted) await round();
    }
  })();
  return {
    first,
    async stop() {
      stopped.abort();
      await rounds;
    },
  };
}
