import { bugNamed } from './bugs/bugs.ts';
import type { Choices } from './choices.ts';
import { planFor, type Plan } from './plan.ts';
import { simulate, type Run } from './simulate.ts';
import type { WorkerCounts } from './workers/crew.ts';
import { simulateWorkers } from './workers/simulate-workers.ts';
import { workerPartsWith } from './workers/worker-bugs.ts';
import { workersPlanFor } from './workers/workers-plan.ts';
import type { Traps } from './traps.ts';

/** Every hundredth seed is run a second time, to see whether the same comes of it. */
const repeatEvery = 100;

/** What to run: with which planted bug, if any; and with at most how many workers, or null for processes run by hand. */
export type Kind = { readonly bug: string | null; readonly workers: number | null };

export type AnyRun = Run & { readonly workers?: WorkerCounts };

export type SeedRun = Omit<AnyRun, 'script'> & {
  readonly seed: number;
  readonly repeated: boolean;
};

/** Runs one seed, with a planted bug if there is to be one. */
export async function runSeed(seed: number, kind: Kind, traps: Traps): Promise<SeedRun> {
  const plan = planOf(seed, kind);
  const run = await runPlan(plan, kind);
  const repeated = seed % repeatEvery === 0;
  const again = repeated ? await runPlan(plan, kind) : run;
  const { script: _, ...figures } = run;
  const [tripped] = traps.take();
  const found =
    tripped === undefined
      ? (run.violation ?? differing(run, again))
      : ({ invariant: 19, what: `${tripped} was used`, step: run.steps } as const);
  return { ...figures, seed, repeated, violation: found };
}

export function planOf(seed: number, { workers }: Kind): Plan {
  return workers === null ? planFor(seed) : workersPlanFor(seed, workers);
}

/** Runs a plan in the world it is for, by chance unless choices are given. */
export function runPlan(plan: Plan, { bug, workers }: Kind, choices?: Choices): Promise<AnyRun> {
  const by = choices === undefined ? {} : { choices };
  return workers === null
    ? simulate(plan, { ...by, assembly: bugNamed(bug) })
    : simulateWorkers(plan, { ...by, parts: workerPartsWith(bug) });
}

function differing(run: Run, again: Run): Run['violation'] {
  if (run.digest === again.digest) return null;
  return { invariant: 20, what: `it came to ${run.digest} and to ${again.digest}`, step: run.steps };
}
