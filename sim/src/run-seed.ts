import { bugNamed } from './bugs/bugs.ts';
import { planFor } from './plan.ts';
import { simulate, type Run } from './simulate.ts';
import type { Traps } from './traps.ts';

/** Every so many seeds are run a second time, to see whether the same comes of them. */
const repeatEvery = 100;

export type SeedRun = Omit<Run, 'script'> & {
  readonly seed: number;
  readonly repeated: boolean;
};

/** Runs one seed, with a planted bug if there is to be one. */
export async function runSeed(seed: number, bug: string | null, traps: Traps): Promise<SeedRun> {
  const plan = planFor(seed);
  const assembly = bugNamed(bug);
  const run = await simulate(plan, { assembly });
  const repeated = seed % repeatEvery === 0;
  const again = repeated ? await simulate(plan, { assembly }) : run;
  const { script: _, ...figures } = run;
  const [tripped] = traps.take();
  const found =
    tripped === undefined
      ? (run.violation ?? differing(run, again))
      : ({ invariant: 19, what: `${tripped} was used`, step: run.steps } as const);
  return { ...figures, seed, repeated, violation: found };
}

function differing(run: Run, again: Run): Run['violation'] {
  if (run.digest === again.digest) return null;
  return { invariant: 20, what: `it came to ${run.digest} and to ${again.digest}`, step: run.steps };
}
