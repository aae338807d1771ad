import { StoreError } from '@pawl/runtime';
import { advance, type Advanced, type AdvanceMeans } from './advance.ts';
import type { Care } from './care.ts';
import { Lease } from './lease.ts';
import { named } from './named.ts';
import type { Wake } from './queues.ts';
import { systemStopwatch } from './stopwatch.ts';

/** A job that this worker holds for the time of a lease. */
export type HeldJob = {
  readonly wake: Wake;
  /** Gives false once somebody else has it. */
  extend(): Promise<boolean>;
  /** Lets another worker have it at once. */
  giveBack(): Promise<void>;
};

export type JobReport =
  | { readonly kind: 'taken' | Advanced; readonly session: string }
  | { readonly kind: 'parked'; readonly session: string; readonly reason: string };

export type CarryOutMeans = Omit<AdvanceMeans, 'lease'> & {
  readonly care: Care;
  readonly leaseMs: number;
  /** A session whose worker was gone this many times in a row is parked. */
  readonly crashesMax: number;
  /** The time of day, in milliseconds. */
  readonly now: () => number;
  readonly onReport: (report: JobReport) => void;
};

/** One job: one session, as far as it goes by itself. */
export async function carryOut(job: HeldJob, means: CarryOutMeans): Promise<void> {
  const { leaseMs, onReport, stopwatch = systemStopwatch } = means;
  const { session } = job.wake;
  const lease = new Lease(leaseMs, () => job.extend(), stopwatch);
  // Nobody knows how long ago the job was given: only an answer tells that it is still ours. The lease ends before anybody
  // else can have the job, so that nothing left behind here begins anything then.
  const advanced = await lease
    .renew()
    .then((isOurs) => (isOurs ? advanceOnce(job.wake, lease, means) : 'lost'))
    .finally(() => lease.end());
  if (advanced === null) return;
  onReport({ kind: advanced, session });
  if (advanced === 'lost') throw new Error(`The lease of ${named(session)} was lost.`);
  if (advanced === 'left') await job.giveBack();
}

/** Null when it was not taken up at all. */
async function advanceOnce(
  { session, version }: Wake,
  lease: Lease,
  means: CarryOutMeans,
): Promise<Advanced | null> {
  const { care, crashesMax, onReport } = means;
  let reason: string | null = null;
  try {
    const begun = await care.begin(session);
    if (begun === null) return null;
    const { head, times } = begun;
    reason = times > crashesMax ? tooOften(crashesMax) : head < version ? shorter(head, version) : null;
    if (reason !== null) return await park(means, session, reason, Math.min(times - 1, crashesMax));
    onReport({ kind: 'taken', session });
    const advanced = await advance(session, { ...means, lease });
    // One that blocks its worker for so long that it loses the session is as bad as one that ends it.
    if (advanced !== 'lost') await care.end(session);
    return advanced;
  } catch (error) {
    // What was to be parked stays as it is, so that the next one parks it.
    if (reason !== null) throw error;
    return failed(means, session, error);
  }
}

function tooOften(crashes: number): string {
  return `its worker was gone ${crashes} times in a row while it worked on it`;
}

function shorter(head: number, version: number): string {
  return `its log ends at event ${head}, and it had come to ${version}: Redis has lost what came after`;
}

async function failed(means: CarryOutMeans, session: string, error: unknown): Promise<null> {
  const code = error instanceof StoreError ? error.code : null;
  // There is nothing to go on with, and nothing to park.
  if (code === 'missing') return null;
  // The trouble is with Redis and not with the session: it does not count, and the next sweep finds the session again.
  if (code === 'unreadable' || code === 'busy' || code === 'full') {
    await means.care.end(session).catch(() => undefined);
    throw error;
  }
  return park(means, session, error instanceof Error ? error.message : String(error));
}

async function park(
  { care, now, onReport }: CarryOutMeans,
  session: string,
  reason: string,
  crashes?: number,
): Promise<null> {
  if (await care.park({ session, reason, at: now() }, crashes)) onReport({ kind: 'parked', session, reason });
  return null;
}
