import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError, thisProcess, type Store } from '@pawl/runtime';
import { WaitingError, Worker, type Job } from 'bullmq';
import { advance, type Advanced } from './advance.ts';
import { glimpseOf } from './glimpse.ts';
import { Lease } from './lease.ts';
import type { OutfitFor } from './outfit.ts';
import { queueName, queuePrefix, type Firing, type Task, type Wake } from './queues.ts';
import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';
import type { SessionQueue } from './session-queue.ts';
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
  /** Something is wrong with Redis or the queue; the worker goes on when it is over. */
  | { readonly kind: 'trouble'; readonly message: string };

export type RunningWorker = {
  /** Takes nothing more up, lets go of what it holds so that others go on with it, and resolves when that is done. */
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
  await look();
  const rounds = everySo(settled.sweepMs, look);
  return {
    async close() {
      draining.abort();
      await rounds.stop();
      await Promise.all([...workers.values()].map((worker) => worker.close()));
    },
  };
}

function workerFor(tenant: string, settled: Settled, draining: AbortSignal): Worker<Task> {
  const { redis, prefix, concurrency, leaseMs } = settled;
  const worker = new Worker<Task>(
    queueName,
    (job, token) =>
      isFiring(job)
        ? makeSession(job, tenant, settled)
        : carryOut(job as Job<Wake>, token ?? '', { settled, draining }),
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
  try {
    onReport({
      kind: 'fired',
      session: await fire(job, tenant, { store, queues: queue.parts.queues, owner }),
    });
  } catch (error) {
    report(settled, error);
    throw error;
  }
}

type Setting = { readonly settled: Settled; readonly draining: AbortSignal };

/** One job: one session, as far as it goes by itself. */
async function carryOut(job: Job<Wake>, token: string, { settled, draining }: Setting): Promise<void> {
  const { leaseMs, onReport } = settled;
  const { session } = job.data;
  const lease = new Lease(leaseMs, async () => (await job.extendLock(token, leaseMs)) === 1);
  try {
    await lease.renew();
    const advanced = lease.isSure() ? await advanceOnce(job.data, lease, { settled, draining }) : 'lost';
    if (advanced === null) return;
    onReport({ kind: advanced, session });
    if (advanced === 'lost') throw new Error(`The lease of session ${JSON.stringify(session)} was lost.`);
    if (advanced === 'left') {
      await job.moveToWait(token);
      throw new WaitingError();
    }
  } finally {
    lease.end();
  }
}

/** Null when it was not taken up at all. */
async function advanceOnce(
  { session, version }: Wake,
  lease: Lease,
  { settled, draining }: Setting,
): Promise<Advanced | null> {
  const { redis, prefix, store, owner, outfitFor, queue, graceMs, pollMs, crashesMax, onReport } = settled;
  const { care, commands } = queue.parts;
  const [parked, seen] = await translated(() =>
    Promise.all([care.reason(session), glimpseOf(redis, prefix, session)]),
  );
  if (parked !== null) return null;
  try {
    // Opening one that cannot be seen says why.
    const { head, about } = seen ?? (await store.open(session));
    const begun = await care.begin(session, head);
    const reason = begun > crashesMax ? tooOften(crashesMax) : head < version ? shorter(head, version) : null;
    if (reason !== null) return await park(settled, session, reason);
    onReport({ kind: 'taken', session });
    const means = { store, commands, outfitFor, owner, lease, draining, graceMs, pollMs, about };
    const advanced = await advance(session, means);
    // One that blocks its worker for so long that it loses the session is as bad as one that ends it.
    if (advanced !== 'lost') await care.end(session);
    return advanced;
  } catch (error) {
    return failed(settled, session, error);
  }
}

function tooOften(crashes: number): string {
  return `its worker was gone ${crashes} times in a row while it was at work on it`;
}

function shorter(head: number, version: number): string {
  return `its log ends at event ${head}, and it had come to ${version}: Redis has lost what came after`;
}

async function failed(settled: Settled, session: string, error: unknown): Promise<null> {
  const code = error instanceof StoreError ? error.code : null;
  // There is nothing to go on with, and nothing to park.
  if (code === 'missing') return null;
  // Redis is in trouble, and no session has to do with that: the next sweep finds it again.
  if (code === 'unreadable' || code === 'busy' || code === 'full') throw error;
  return park(settled, session, error instanceof Error ? error.message : String(error));
}

async function park({ queue, onReport }: Settled, session: string, reason: string): Promise<null> {
  await queue.parts.care.park({ session, reason, at: Date.now() });
  onReport({ kind: 'parked', session, reason });
  return null;
}

/** Of all workers one sweeps at a time. */
async function sweepInTurn({ redis, queue, prefix, sweepMs, onReport }: Settled): Promise<void> {
  const turn = await redis.set(`${prefix}:sweeping`, '1', 'PX', Math.max(1, Math.floor(sweepMs * 0.8)), 'NX');
  if (turn === null) return;
  const woken = await sweep({ redis, prefix, ...queue.parts, now: Date.now(), ...swept });
  for (const session of woken) onReport({ kind: 'swept', session });
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

/** One round after the other, with a pause between them. */
function everySo(ms: number, round: () => Promise<void>): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const rounds = (async () => {
    while (!stopped.signal.aborted) {
      await sleep(ms, undefined, { signal: stopped.signal }).catch(() => undefined);
      if (!stopped.signal.aborted) await round();
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await rounds;
    },
  };
}
