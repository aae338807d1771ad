import { formatSessionLabel, StoreError } from '@pawl/runtime/store';
import { advanceSession, type AdvanceOutcome, type AdvanceContext } from './advance-session.ts';
import type { CrashLedger } from './crash-ledger.ts';
import { SessionLease, systemTimer } from './session-lease.ts';
import type { WakeJob } from './tenant-queues.ts';

/** A job that this worker holds for the duration of a lease. */
export type LeasedJob = {
  readonly wake: WakeJob;
  /** Resolves to false once another worker has it. */
  extend(): Promise<boolean>;
  /** Returns the job to the queue, so that another worker can take it at once. */
  release(): Promise<void>;
};

export type JobReport =
  | { readonly kind: 'taken' | AdvanceOutcome; readonly session: string }
  | { readonly kind: 'parked'; readonly session: string; readonly reason: string };

export type JobContext = Omit<AdvanceContext, 'lease'> & {
  readonly crashLedger: CrashLedger;
  readonly leaseMs: number;
  /** After this many crashed attempts in a row, the session becomes a dead letter. */
  readonly crashesMax: number;
  /** The current time in milliseconds. */
  readonly now: () => number;
  readonly onReport: (report: JobReport) => void;
};

/** Processes one job: advances one session as far as it can go without input. */
export async function processSessionJob(job: LeasedJob, context: JobContext): Promise<void> {
  const { leaseMs, onReport, timer = systemTimer } = context;
  const { session } = job.wake;
  const lease = new SessionLease(leaseMs, () => job.extend(), timer);
  // The age of the job's lock is unknown, so only a renewal proves that it is still ours. The lease ends before another
  // worker can have the job, so that no leftover work starts anything after that.
  const outcome = await lease
    .renew()
    .then((isOurs) => (isOurs ? advanceWithCrashLedger(job.wake, lease, context) : 'lost'))
    .finally(() => lease.end());
  if (outcome === null) return;
  onReport({ kind: outcome, session });
  if (outcome === 'lost') throw new Error(`The lease of ${formatSessionLabel(session)} was lost.`);
  if (outcome === 'left') await job.release();
}

/** Returns null if the session was not claimed at all. */
async function advanceWithCrashLedger(
  { session, version }: WakeJob,
  lease: SessionLease,
  context: JobContext,
): Promise<AdvanceOutcome | null> {
  const { crashLedger, crashesMax, onReport } = context;
  let reason: string | null = null;
  try {
    const attempt = await crashLedger.startAttempt(session);
    if (attempt === null) return null;
    const { head, count } = attempt;
    reason =
      count > crashesMax
        ? formatCrashReason(crashesMax)
        : head < version
          ? formatLostEventsReason(head, version)
          : null;
    if (reason !== null)
      return await moveToDeadLetters(context, session, reason, Math.min(count - 1, crashesMax));
    onReport({ kind: 'taken', session });
    const outcome = await advanceSession(session, { ...context, lease });
    // A session that blocks its worker until the lease is lost counts as a crash.
    if (outcome !== 'lost') await crashLedger.endAttempt(session);
    return outcome;
  } catch (error) {
    // If moving to the dead letters failed, leave the count as it is, so that the next attempt does it.
    if (reason !== null) throw error;
    return handleJobFailure(context, session, error);
  }
}

function formatCrashReason(crashes: number): string {
  return `its worker crashed ${crashes} times in a row while running it`;
}

function formatLostEventsReason(head: number, version: number): string {
  return `its log ends at event ${head}, but it had reached ${version}: Redis has lost the later events`;
}

async function handleJobFailure(context: JobContext, session: string, error: unknown): Promise<null> {
  const code = error instanceof StoreError ? error.code : null;
  // There is nothing to resume and nothing to park.
  if (code === 'missing') return null;
  // The problem is Redis and not the session, so it does not count; the next sweep finds the session again.
  if (code === 'unreadable' || code === 'busy' || code === 'full') {
    await context.crashLedger.endAttempt(session).catch(() => undefined);
    throw error;
  }
  return moveToDeadLetters(context, session, error instanceof Error ? error.message : String(error));
}

async function moveToDeadLetters(
  { crashLedger, now, onReport }: JobContext,
  session: string,
  reason: string,
  crashes?: number,
): Promise<null> {
  if (await crashLedger.park({ session, reason, at: now() }, crashes))
    onReport({ kind: 'parked', session, reason });
  return null;
}
