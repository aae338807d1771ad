import { getBuggyAssembly } from './bugs/bugs.ts';
import type { ChoiceSource } from './choices.ts';
import { createSimPlan, type SimPlan } from './plan.ts';
import { runSimulation, type SimRun } from './simulate.ts';
import type { WorkerCounts } from './workers/workers-world.ts';
import { simulateWorkers } from './workers/simulate-workers.ts';
import { getBuggyWorkerParts } from './workers/worker-bugs.ts';
import { createWorkersPlan } from './workers/workers-plan.ts';
import type { GlobalTraps } from './global-traps.ts';

/** Every hundredth seed runs twice, to check that the result is deterministic. */
const repeatSeedInterval = 100;

/** The planted bug, if any, and the maximum number of workers; null workers simulates processes without a queue. */
export type SimRunKind = { readonly bug: string | null; readonly workers: number | null };

export type AnyRun = SimRun & { readonly workers?: WorkerCounts };

export type SeedRun = Omit<AnyRun, 'script'> & {
  readonly seed: number;
  readonly repeated: boolean;
};

/** Runs one seed, optionally with a planted bug. */
export async function runSeed(seed: number, kind: SimRunKind, traps: GlobalTraps): Promise<SeedRun> {
  const plan = createPlanByKind(seed, kind);
  const run = await runPlan(plan, kind);
  const repeated = seed % repeatSeedInterval === 0;
  const secondRun = repeated ? await runPlan(plan, kind) : run;
  const { script: _, ...summary } = run;
  const [used] = traps.takeUsed();
  const violation =
    used === undefined
      ? (run.violation ?? findDigestMismatch(run, secondRun))
      : ({ invariant: 19, what: `${used} was used`, step: run.steps } as const);
  return { ...summary, seed, repeated, violation };
}

export function createPlanByKind(seed: number, { workers }: SimRunKind): SimPlan {
  return workers === null ? createSimPlan(seed) : createWorkersPlan(seed, workers);
}

/** Runs a plan in its kind of world, with random choices unless choices are given. */
export function runPlan(
  plan: SimPlan,
  { bug, workers }: SimRunKind,
  choices?: ChoiceSource,
): Promise<AnyRun> {
  const choiceOptions = choices === undefined ? {} : { choices };
  return workers === null
    ? runSimulation(plan, { ...choiceOptions, assembly: getBuggyAssembly(bug) })
    : simulateWorkers(plan, { ...choiceOptions, parts: getBuggyWorkerParts(bug) });
}

function findDigestMismatch(run: SimRun, secondRun: SimRun): SimRun['violation'] {
  if (run.digest === secondRun.digest) return null;
  return {
    invariant: 20,
    what: `the digests differ: ${run.digest} and ${secondRun.digest}`,
    step: run.steps,
  };
}
