import { allCrashPoints, type CrashPoint } from './crash-points.ts';
import { stepsWithoutCrash, type DoubleCrashes } from './double-crash.ts';
import type { FaultName } from './faults.ts';
import type { Pool } from './pool.ts';
import type { Kind, SeedRun } from './run-seed.ts';
import type { Order } from './seeds-worker.ts';
import type { WorkerCounts } from './workers/crew.ts';

export type Totals = {
  seeds: number;
  events: number;
  steps: number;
  simulatedMs: number;
  lateStarts: number;
  /** Seeds that were run twice and came to the same. */
  repeated: number;
  /** How often each fault has struck. */
  readonly struck: Partial<Record<FaultName, number>>;
  /** Counts about workers, where there are any. */
  readonly workers: Partial<Record<keyof WorkerCounts, number>>;
  readonly failures: SeedRun[];
};

export type Campaign = Kind & {
  readonly from: number;
  readonly seeds: number;
  readonly jobs: number;
  /** Whether to stop at the first failure. */
  readonly untilFailure: boolean;
  readonly onProgress?: (totals: Totals) => void;
};

const seedsPerOrder = 20;

/** Runs many seeds on all threads, in order. */
export async function runSeeds(pool: Pool, campaign: Campaign): Promise<Totals> {
  const { from, seeds, bug, workers, jobs, untilFailure, onProgress } = campaign;
  const totals: Totals = {
    seeds: 0,
    events: 0,
    steps: 0,
    simulatedMs: 0,
    lateStarts: 0,
    repeated: 0,
    struck: {},
    workers: {},
    failures: [],
  };
  let next = from;
  const isOver = (): boolean => next >= from + seeds || (untilFailure && totals.failures.length > 0);
  const work = async (): Promise<void> => {
    while (!isOver()) {
      const count = Math.min(seedsPerOrder, from + seeds - next);
      const order: Order = { kind: 'seeds', from: next, count, bug, workers };
      next += count;
      const answer = await pool.run(order);
      if (answer.kind === 'seeds') for (const run of answer.runs) tally(totals, run);
      onProgress?.(totals);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  totals.failures.sort((a, b) => a.seed - b.seed);
  return totals;
}

function tally(totals: Totals, run: SeedRun): void {
  totals.seeds += 1;
  totals.events += run.events;
  totals.steps += run.steps;
  totals.simulatedMs += run.simulatedMs;
  totals.lateStarts += run.lateStarts;
  if (run.repeated) totals.repeated += 1;
  for (const [name, count] of Object.entries(run.struck)) {
    const fault = name as FaultName;
    totals.struck[fault] = (totals.struck[fault] ?? 0) + count;
  }
  for (const [name, count] of Object.entries(run.workers ?? {})) {
    const what = name as keyof WorkerCounts;
    totals.workers[what] = (totals.workers[what] ?? 0) + count;
  }
  if (run.violation !== null) totals.failures.push(run);
}

/** How a planted bug was found: by a run that fails with it and does not fail without. */
export type Caught = {
  readonly bug: string;
  readonly seed: number;
  readonly invariant: number;
  readonly what: string;
};

export async function catchBug(
  pool: Pool,
  { bug, workers }: Kind & { readonly bug: string },
  seedsMax: number,
): Promise<Caught | null> {
  for (let from = 1; from <= seedsMax; from += seedsPerOrder) {
    const count = Math.min(seedsPerOrder, seedsMax + 1 - from);
    const answer = await pool.run({ kind: 'seeds', from, count, bug, workers });
    if (answer.kind !== 'seeds') continue;
    for (const { seed, violation } of answer.runs) {
      if (violation === null) continue;
      const sound = await pool.run({ kind: 'seeds', from: seed, count: 1, bug: null, workers });
      if (sound.kind === 'seeds' && sound.runs[0]?.violation === null)
        return { bug, seed, invariant: violation.invariant, what: violation.what };
    }
  }
  return null;
}

export type CrashReport = {
  readonly runs: number;
  readonly failures: DoubleCrashes['failures'];
  /** Points of the fault model that no crash has hit. */
  readonly missed: readonly CrashPoint[];
};

/** A crash before every step, alone and with a second one before every step after it. */
export async function runDoubleCrashes(pool: Pool): Promise<CrashReport> {
  const steps = await stepsWithoutCrash();
  const answers = await Promise.all(
    Array.from({ length: steps }, (_, first) => pool.run({ kind: 'crashes', first, bug: null })),
  );
  const crashes = answers.flatMap((answer) => (answer.kind === 'crashes' ? [answer.crashes] : []));
  const hit = new Set(crashes.flatMap(({ points }) => points));
  return {
    runs: crashes.reduce((sum, { runs }) => sum + runs, 0),
    failures: crashes.flatMap(({ failures }) => failures),
    missed: (Object.keys(allCrashPoints) as CrashPoint[]).filter((point) => !hit.has(point)),
  };
}
