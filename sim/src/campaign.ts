import { allCrashPoints, type CrashPoint } from './crash-points.ts';
import { countCrashFreeSteps, type DoubleCrashReport } from './double-crash.ts';
import type { FaultName } from './fault-injector.ts';
import type { SimThreadPool } from './pool.ts';
import type { SimRunKind, SeedRun } from './run-seed.ts';
import type { PoolRequest } from './seeds-worker.ts';
import type { WorkerCounts } from './workers/workers-world.ts';

export type CampaignTotals = {
  seeds: number;
  events: number;
  steps: number;
  simulatedMs: number;
  lateStarts: number;
  /** Number of seeds that were run twice with the same result. */
  repeated: number;
  /** How often each fault occurred. */
  readonly faultCounts: Partial<Record<FaultName, number>>;
  /** Worker counts, if the campaign simulates workers. */
  readonly workers: Partial<Record<keyof WorkerCounts, number>>;
  readonly failures: SeedRun[];
};

export type SeedCampaign = SimRunKind & {
  readonly from: number;
  readonly seeds: number;
  readonly jobs: number;
  /** Whether to stop at the first failure. */
  readonly untilFailure: boolean;
  readonly onProgress?: (totals: CampaignTotals) => void;
};

const seedsPerRequest = 20;

/** Runs many seeds on all threads, in order. */
export async function runSeeds(pool: SimThreadPool, campaign: SeedCampaign): Promise<CampaignTotals> {
  const { from, seeds, bug, workers, jobs, untilFailure, onProgress } = campaign;
  const totals: CampaignTotals = {
    seeds: 0,
    events: 0,
    steps: 0,
    simulatedMs: 0,
    lateStarts: 0,
    repeated: 0,
    faultCounts: {},
    workers: {},
    failures: [],
  };
  let next = from;
  const isFinished = (): boolean => next >= from + seeds || (untilFailure && totals.failures.length > 0);
  const work = async (): Promise<void> => {
    while (!isFinished()) {
      const count = Math.min(seedsPerRequest, from + seeds - next);
      const request: PoolRequest = { kind: 'seeds', from: next, count, bug, workers };
      next += count;
      const response = await pool.run(request);
      if (response.kind === 'seeds') for (const run of response.runs) addRunToTotals(totals, run);
      onProgress?.(totals);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  totals.failures.sort((a, b) => a.seed - b.seed);
  return totals;
}

function addRunToTotals(totals: CampaignTotals, run: SeedRun): void {
  totals.seeds += 1;
  totals.events += run.events;
  totals.steps += run.steps;
  totals.simulatedMs += run.simulatedMs;
  totals.lateStarts += run.lateStarts;
  if (run.repeated) totals.repeated += 1;
  for (const [name, count] of Object.entries(run.faultCounts)) {
    const fault = name as FaultName;
    totals.faultCounts[fault] = (totals.faultCounts[fault] ?? 0) + count;
  }
  for (const [name, count] of Object.entries(run.workers ?? {})) {
    const what = name as keyof WorkerCounts;
    totals.workers[what] = (totals.workers[what] ?? 0) + count;
  }
  if (run.violation !== null) totals.failures.push(run);
}

/** A planted bug and the run that detected it: the run fails with the bug and passes without it. */
export type CaughtBug = {
  readonly bug: string;
  readonly seed: number;
  readonly invariant: number;
  readonly what: string;
};

export async function catchBug(
  pool: SimThreadPool,
  { bug, workers }: SimRunKind & { readonly bug: string },
  seedsMax: number,
): Promise<CaughtBug | null> {
  for (let from = 1; from <= seedsMax; from += seedsPerRequest) {
    const count = Math.min(seedsPerRequest, seedsMax + 1 - from);
    const response = await pool.run({ kind: 'seeds', from, count, bug, workers });
    if (response.kind !== 'seeds') continue;
    for (const { seed, violation } of response.runs) {
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
  readonly failures: DoubleCrashReport['failures'];
  /** Crash points of the fault model that no crash hit. */
  readonly missed: readonly CrashPoint[];
};

/** Crashes before every step, alone and combined with a second crash before every later step. */
export async function runDoubleCrashes(pool: SimThreadPool): Promise<CrashReport> {
  const steps = await countCrashFreeSteps();
  const responses = await Promise.all(
    Array.from({ length: steps }, (_, first) => pool.run({ kind: 'crashes', first, bug: null })),
  );
  const crashes = responses.flatMap((response) => (response.kind === 'crashes' ? [response.crashes] : []));
  const hit = new Set(crashes.flatMap(({ points }) => points));
  return {
    runs: crashes.reduce((sum, { runs }) => sum + runs, 0),
    failures: crashes.flatMap(({ failures }) => failures),
    missed: (Object.keys(allCrashPoints) as CrashPoint[]).filter((point) => !hit.has(point)),
  };
}
