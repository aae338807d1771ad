import { followScript } from './choices.ts';
import type { Violation } from './oracle/invariants.ts';
import type { Plan } from './plan.ts';
import { simulate } from './simulate.ts';
import { crashPoints, type CrashPoint } from './crash-points.ts';
import type { Assembly } from './assembly.ts';

/**
 * One session, three steps: a call that must not be repeated and must be asked about, one whose start is kept with the reply
 * that asks for it, and one that can be looked up.
 */
const plan: Plan = {
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
      remembers: false,
      modelCalls: null,
      ending: 'wait',
    },
  ],
  faults: {},
  schedule: { kind: 'weighted', seed: 0 },
  store: 'memory',
};

export type Crashed = {
  readonly violation: Violation | null;
  /** How many steps the run took. */
  readonly steps: number;
  /** Where it was each time it crashed. */
  readonly points: readonly CrashPoint[];
};

/** Runs it with a crash before each of these steps; nothing else goes wrong and nothing is left to chance. */
export async function crashBefore(crashes: readonly number[], assembly?: Assembly): Promise<Crashed> {
  const points = new Set<CrashPoint>();
  const { violation, steps } = await simulate(plan, {
    choices: followScript({}),
    ...(assembly !== undefined && { assembly }),
    before(world, operator) {
      const process = operator.processes[0];
      if (process === undefined || !process.alive || !crashes.includes(world.scheduler.steps)) return;
      for (const point of crashPoints(world)) points.add(point);
      operator.crash(process);
    },
  });
  return { violation, steps, points: [...points] };
}

export type DoubleCrashes = {
  readonly runs: number;
  readonly points: readonly CrashPoint[];
  readonly failures: readonly { readonly crashes: readonly number[]; readonly violation: Violation }[];
};

/** A crash before one step, alone and with a second before every step after it. */
export async function crashFrom(first: number, assembly?: Assembly): Promise<DoubleCrashes> {
  const points = new Set<CrashPoint>();
  const failures: { readonly crashes: readonly number[]; readonly violation: Violation }[] = [];
  const attempt = async (crashes: readonly number[]): Promise<number> => {
    const crashed = await crashBefore(crashes, assembly);
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

/** How many steps there are to crash before. */
export async function stepsWithoutCrash(): Promise<number> {
  return (await crashBefore([])).steps;
}
