import { createScriptedChoices } from './choices.ts';
import type { InvariantViolation } from './oracle/invariants.ts';
import type { SimPlan } from './plan.ts';
import { runSimulation } from './simulate.ts';
import { listCrashPoints, type CrashPoint } from './crash-points.ts';
import type { ProcessAssembly } from './process-assembly.ts';

/**
 * One session with three steps: a non-repeatable call that needs approval, a call whose start is persisted together
 * with the reply that requests it, and a call whose effect can be verified.
 */
const doubleCrashPlan: SimPlan = {
  seed: 0,
  processes: 1,
  sessions: [
    {
      turns: [
        {
          steps: [
            [{ tool: 'shell', permission: 'ask', id: 'fresh' }],
            [{ tool: 'send', permission: 'allow', id: 'fresh' }],
            [{ tool: 'edit', permission: 'allow', id: 'fresh' }],
          ],
          interference: null,
        },
      ],
      governed: true,
      hasMemory: false,
      modelCalls: null,
      ending: 'wait',
    },
  ],
  faults: {},
  schedule: { kind: 'weighted', seed: 0 },
  store: 'memory',
};

export type CrashRun = {
  readonly violation: InvariantViolation | null;
  /** Number of steps in the run. */
  readonly steps: number;
  /** The crash points that were hit. */
  readonly points: readonly CrashPoint[];
};

/** Runs the plan with a crash before each of the given steps, without other faults and without randomness. */
export async function runWithCrashes(
  crashes: readonly number[],
  assembly?: ProcessAssembly,
): Promise<CrashRun> {
  const points = new Set<CrashPoint>();
  const { violation, steps } = await runSimulation(doubleCrashPlan, {
    choices: createScriptedChoices({}),
    ...(assembly !== undefined && { assembly }),
    before(world, operator) {
      const process = operator.processes[0];
      if (process === undefined || !process.isAlive || !crashes.includes(world.scheduler.steps)) return;
      for (const point of listCrashPoints(world)) points.add(point);
      operator.crash(process);
    },
  });
  return { violation, steps, points: [...points] };
}

export type DoubleCrashReport = {
  readonly runs: number;
  readonly points: readonly CrashPoint[];
  readonly failures: readonly {
    readonly crashes: readonly number[];
    readonly violation: InvariantViolation;
  }[];
};

/** Crashes before one step, alone and combined with a second crash before every later step. */
export async function runDoubleCrash(first: number, assembly?: ProcessAssembly): Promise<DoubleCrashReport> {
  const points = new Set<CrashPoint>();
  const failures: { readonly crashes: readonly number[]; readonly violation: InvariantViolation }[] = [];
  const attempt = async (crashes: readonly number[]): Promise<number> => {
    const crashed = await runWithCrashes(crashes, assembly);
    for (const point of crashed.points) points.add(point);
    if (crashed.violation !== null) failures.push({ crashes, violation: crashed.violation });
    return crashed.steps;
  };
  const steps = await attempt([first]);
  let runs = 1;
  for (let second = first + 1; second < steps; second += 1) {
    await attempt([first, second]);
    runs += 1;
  }
  return { runs, points: [...points], failures };
}

/** Counts the steps of a run without crashes. */
export async function countCrashFreeSteps(): Promise<number> {
  return (await runWithCrashes([])).steps;
}
