import { setTimeout as sleep } from 'node:timers/promises';
import { thisProcess, type Store } from '@pawl/runtime';
import { WaitingError, Worker, type Job } from 'bullmq';
import { carryOut, type CarryOutMeans, type HeldJob } from './carry-out.ts';
import type { OutfitFor } from './outfit.ts';
import { queueName, queuePrefix, type Firing, type Task, type Wake } from './queues.ts';
import type { RedisClient } from './redis-client.ts';
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
  /** How often to look for commands. */
  readonly pollMs?: number;
  /** How often to look for sessions that no queue knows of. */
  readonly sweepMs?: number;
  /** A session whose worker was gone this many times in a row is parked. */
  readonly crashesMax?: number;
  /** Sessions that ended longer ago than this are removed; null, the default, keeps them. */
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
   * Takes up nothing more, lets go of what it holds so that others can go on with it, and resolves when that is done. If Redis
   * gives no answer for too long, the connection is cut instead: others can have what it held once the lease is over.
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

type Setup = Required<WorkerOptions>;

/** How many sessions one sweep looks at. What is lost was mostly lost just now; the older sessions take turns. */
const swept = { newest: 2_000, older: 8_000 } as const;

/** Advances the sessions that the queues give it, until it is closed. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const setup: Setup = { ...defaults, owner: thisProcess(), ...options };
  const draining = new AbortController();
  const workers = new Map<string, Worker<Task>>();
  const hire = async (): Promise<void> => {
    for (const tenant of await setup.queue.parts.queues.tenants()) {
      if (workers.has(tenant) || draining.signal.aborted) continue;
      workers.set(tenant, workerFor(tenant, setup, draining.signal));
    }
  };
  const look = async (): Promise<void> => {
    try {
      await hire();
      await sweepInTurn(setup);
      await removeInTurn(setup);
    } catch (error) {
      report(setup, error);
    }
  };
  const rounds = everySo(setup.sweepMs, look);
  await within(patienceMs, rounds.first);
  return {
    async close() {
      draining.abort();
      const leaving = rounds
        .stop()
        .then(() => Promise.all([...workers.values()].map((worker) => worker.close())));
      if (await within(setup.graceMs + patienceMs, leaving)) return;
      // This is not waited for: Redis may not answer it either.
      for (const worker of workers.values()) void worker.disconnect().catch(() => undefined);
    },
  };
}

/** How long a Redis that does not answer may hold up the start or the end of a worker. */
const patienceMs = 5_000;

/** Resolves to whether it was done in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const late = sleep(ms, false, { signal: done.signal }).catch(() => false);
  const isDone = await Promise.race([work.then(() => true), late]);
  done.abort();
  return isDone;
}

function workerFor(tenant: string, setup: Setup, draining: AbortSignal): Worker<Task> {
  const { redis, prefix, concurrency, leaseMs } = setup;
  const worker = new Worker<Task>(
    queueName,
    (job, token) =>
      isFiring(job)
        ? makeSession(job, tenant, setup)
        : carryOut(held(job as Job<Wake>, token ?? '', leaseMs), meansOf(setup, draining)),
    {
      connection: redis,
      prefix: queuePrefix(prefix, tenant),
      concurrency,
      lockDuration: leaseMs,
      // The lease renews it: only then does it know how long the lock can be relied on.
      skipLockRenewal: true,
      stalledInterval: Math.max(500, leaseMs / 4),
      // Crashes are counted beside the session, where the count outlives a job that is lost and made anew.
      maxStalledCount: 1_000_000,
      runRetryDelay: 1_000,
    },
  );
  worker.on('error', (error) => report(setup, error));
  return worker;
}

function isFiring(job: Job<Task>): job is Job<Firing> {
  return 'schedule' in job.data;
}

async function makeSession(job: Job<Firing>, tenant: string, setup: Setup): Promise<void> {
  const { store, queue, owner, onReport } = setup;
  const { queues, book } = queue.parts;
  try {
    const kept = await book.find({ tenant, name: job.data.schedule });
    // The schedule was removed while this job was on its way.
    if (kept?.definition === null) return;
    onReport({ kind: 'fired', session: await fire(job, tenant, { store, queues, owner }) });
  } catch (error) {
    report(setup, error);
    throw error;
  }
}

function meansOf(setup: Setup, draining: AbortSignal): CarryOutMeans {
  const { care, commands } = setup.queue.parts;
  return {
    ...setup,
    care,
    commands,
    draining,
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

/** Only one of all workers sweeps at a time. */
async function sweepInTurn({ redis, queue, prefix, sweepMs, onReport }: Setup): Promise<void> {
  const turn = await redis.set(`${prefix}:sweeping`, '1', 'PX', Math.max(1, Math.floor(sweepMs * 0.8)), 'NX');
  if (turn === null) return;
  const woken = await sweep({ redis, prefix, ...queue.parts, now: Date.now(), ...swept });
  for (const session of woken) onReport({ kind: 'swept', session });
  await queue.parts.queues.restoreLimits();
  const restored = await restoreSchedules({ ...queue.parts, now: Date.now() });
  for (const { name, tenant } of restored) onReport({ kind: 'rescheduled', schedule: name, tenant });
}

const removeEveryMinMs = 1_000;
const removeEveryMaxMs = 3_600_000;

/** Sessions are kept for days: there is no need to look at all of them every few seconds. */
async function removeInTurn({ redis, prefix, keepMs, onReport }: Setup): Promise<void> {
  if (keepMs === null) return;
  const everyMs = Math.min(Math.max(Math.floor(keepMs / 24), removeEveryMinMs), removeEveryMaxMs);
  if ((await redis.set(`${prefix}:removing`, '1', 'PX', everyMs, 'NX')) === null) return;
  const before = Date.now() - keepMs;
  await removeOld(redis, { prefix, before, onRemoved: (session) => onReport({ kind: 'removed', session }) });
}

function report({ onReport }: Setup, error: unknown): void {
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
