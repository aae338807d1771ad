import { setTimeout as sleep } from 'node:timers/promises';
import { thisProcess, type Store } from '@pawl/runtime';
import { WaitingError, Worker, type Job } from 'bullmq';
import { carryOut, type CarryOutMeans, type HeldJob } from './carry-out.ts';
import { glimpseOf } from './glimpse.ts';
import type { OutfitFor } from './outfit.ts';
import { queueName, queuePrefix, type Firing, type Task, type Wake } from './queues.ts';
import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';
import type { SessionQueue } from './session-queue.ts';
import { restoreSchedules } from './restore-schedules.ts';
import { removeOld } from './retention.ts';
import { fire } from './schedules.ts';
import { defaultPrefix } from './store/redis-store.ts';
import { sweep } from './sweep.ts';

export type WorkerOptions = {
  /** Connected with `waitMs: Infinity`: a worker waits for Redis, however long. */
  readonly redis: RedisClient;
  readonly store: Store;
  readonly queue: SessionQueue;
  readonly outfitFor: OutfitFor;
  readonly prefix?: string;
  readonly owner?: string;
  /** How many sessions of one tenant this worker holds at once. */
  readonly concurrency?: number;
  /** How long a session stays with a worker that gives no sign of life. */
  readonly leaseMs?: number;
  /** How long what runs may take to end when the worker has to let go of a session. */
  readonly graceMs?: number;
  /** How often it is looked whether somebody asked for something. */
  readonly pollMs?: number;
  /** How often it is looked for sessions that no queue knows of. */
  readonly sweepMs?: number;
  /** After so many times in a row that a session was taken up and its worker was gone, it is parked. */
  readonly crashesMax?: number;
  /** Sessions that have ended so long ago are removed; null, which is usual, keeps them. */
  readonly keepMs?: number | null;
  readonly onReport?: (report: WorkerReport) => void;
};

export type WorkerReport =
  | {
      readonly kind: 'taken' | 'waiting' | 'ended' | 'left' | 'lost' | 'swept' | 'fired' | 'removed';
      readonly session: string;
    }
  | { readonly kind: 'parked'; readonly session: string; readonly reason: string }
  /** A schedule that the queue had lost was put back. */
  | { readonly kind: 'rescheduled'; readonly schedule: string; readonly tenant: string }
  /** Something is wrong with Redis or the queue; the worker goes on when it is over. */
  | { readonly kind: 'trouble'; readonly message: string };

export type RunningWorker = {
  /**
   * Takes nothing more up, lets go of what it holds so that others go on with it, and resolves when that is done. Where Redis
   * does not answer for long, the connection is cut instead: others have what it held once the lease is over.
   */
  close(): Promise<void>;
};

const defaults = {
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

type Settled = Required<WorkerOptions>;

/** How many sessions are looked at in one sweep: most that is lost is lost just now, and all others have their turn. */
const swept = { newest: 2_000, older: 8_000 } as const;

/** Advances sessions, whichever the queues give, until it is closed. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const settled: Settled = { ...defaults, owner: thisProcess(), ...options };
  const draining = new AbortController();
  const workers = new Map<string, Worker<Task>>();
  const hire = async (): Promise<void> => {
    for (const tenant of await settled.queue.parts.queues.tenants()) {
      if (workers.has(tenant) || draining.signal.aborted) continue;
      workers.set(tenant, workerFor(tenant, settled, draining.signal));
    }
  };
  const look = async (): Promise<void> => {
    try {
      await hire();
      await sweepInTurn(settled);
      await removeInTurn(settled);
    } catch (error) {
      report(settled, error);
    }
  };
  const rounds = everySo(settled.sweepMs, look);
  await within(patienceMs, rounds.first);
  return {
    async close() {
      draining.abort();
      const leaving = rounds
        .stop()
        .then(() => Promise.all([...workers.values()].map((worker) => worker.close())));
      if (await within(settled.graceMs + patienceMs, leaving)) return;
      // Whether that succeeds cannot be waited for either.
      for (const worker of workers.values()) void worker.disconnect().catch(() => undefined);
    },
  };
}

/** How long a Redis that does not answer may keep a worker from beginning and from leaving, in milliseconds. */
const patienceMs = 5_000;

/** Gives whether it was done in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const late = sleep(ms, false, { signal: done.signal }).catch(() => false);
  const isDone = await Promise.race([work.then(() => true), late]);
  done.abort();
  return isDone;
}

function workerFor(tenant: string, settled: Settled, draining: AbortSignal): Worker<Task> {
  const { redis, prefix, concurrency, leaseMs } = settled;
  const worker = new Worker<Task>(
    queueName,
    (job, token) =>
      isFiring(job)
        ? makeSession(job, tenant, settled)
        : carryOut(held(job as Job<Wake>, token ?? '', leaseMs), meansOf(settled, draining)),
    {
      connection: redis,
      prefix: queuePrefix(prefix, tenant),
      concurrency,
      lockDuration: leaseMs,
      // Renewed here: only so it is known for how long it can be relied on.
      skipLockRenewal: true,
      stalledInterval: Math.max(500, leaseMs / 4),
      // How often is too often is counted beside the session, where it also counts crashes before a job was made anew.
      maxStalledCount: 1_000_000,
      runRetryDelay: 1_000,
    },
  );
  worker.on('error', (error) => report(settled, error));
  return worker;
}

function isFiring(job: Job<Task>): job is Job<Firing> {
  return 'schedule' in job.data;
}

async function makeSession(job: Job<Firing>, tenant: string, settled: Settled): Promise<void> {
  const { store, queue, owner, onReport } = settled;
  const { queues, book } = queue.parts;
  try {
    const kept = await book.find({ tenant, name: job.data.schedule });
    // It was removed when this was on its way already.
    if (kept?.definition === null) return;
    onReport({ kind: 'fired', session: await fire(job, tenant, { store, queues, owner }) });
  } catch (error) {
    report(settled, error);
    throw error;
  }
}

function meansOf(settled: Settled, draining: AbortSignal): CarryOutMeans {
  const { redis, prefix, queue } = settled;
  const { care, commands } = queue.parts;
  return {
    ...settled,
    care,
    commands,
    draining,
    glimpse: (session) => translated(() => glimpseOf(redis, prefix, session)),
    now: () => Date.now(),
  };
}

function held(job: Job<Wake>, token: string, leaseMs: number): HeldJob {
  return {
    wake: job.data,
    extend: async () => (await job.extendLock(token, leaseMs)) === 1,
    async giveBack() {
      await job.moveToWait(token);
      throw new WaitingError();
    },
  };
}

/** Of all workers one sweeps at a time. */
async function sweepInTurn({ redis, queue, prefix, sweepMs, onReport }: Settled): Promise<void> {
  const turn = await redis.set(`${prefix}:sweeping`, '1', 'PX', Math.max(1, Math.floor(sweepMs * 0.8)), 'NX');
  if (turn === null) return;
  const woken = await sweep({ redis, prefix, ...queue.parts, now: Date.now(), ...swept });
  for (const session of woken) onReport({ kind: 'swept', session });
  await queue.parts.queues.restoreLimits();
  const restored = await restoreSchedules({ ...queue.parts, now: Date.now() });
  for (const { name, tenant } of restored) onReport({ kind: 'rescheduled', schedule: name, tenant });
}

const retentionMinMs = 1_000;
const retentionMaxMs = 3_600_000;

/** How long sessions are kept is said in days: nobody has to look at all of them every few seconds. */
async function removeInTurn({ redis, prefix, keepMs, onReport }: Settled): Promise<void> {
  if (keepMs === null) return;
  const everyMs = Math.min(Math.max(Math.floor(keepMs / 24), retentionMinMs), retentionMaxMs);
  if ((await redis.set(`${prefix}:removing`, '1', 'PX', everyMs, 'NX')) === null) return;
  const before = Date.now() - keepMs;
  await removeOld(redis, { prefix, before, onRemoved: (session) => onReport({ kind: 'removed', session }) });
}

function report({ onReport }: Settled, error: unknown): void {
  onReport({ kind: 'trouble', message: error instanceof Error ? error.message : String(error) });
}

type Rounds = { readonly first: Promise<void>; stop(): Promise<void> };

/** One round after the other, with a pause between them. */
function everySo(ms: number, round: () => Promise<void>): Rounds {
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
