import { createScriptedChoices, type ChoiceSource, type ChoiceScript } from './choices.ts';
import type { FaultName } from './fault-injector.ts';
import type { InvariantNumber, InvariantViolation } from './oracle/invariants.ts';
import { listSessionNumbers, type SimPlan, type PlannedSession } from './plan.ts';

/** A minimized failing run. */
export type ShrunkRun = {
  readonly plan: SimPlan;
  readonly script: ChoiceScript;
  readonly violation: InvariantViolation;
  readonly tries: number;
};

export type ShrinkOptions = {
  readonly plan: SimPlan;
  readonly script: ChoiceScript;
  /** Runs a plan with the given choices. */
  readonly run: (
    plan: SimPlan,
    choices: ChoiceSource,
  ) => Promise<{ readonly violation: InvariantViolation | null }>;
  readonly triesMax?: number;
};

/**
 * Minimizes a failing run while the same invariant fails: first fewer faults, processes, sessions and steps, then fewer
 * non-default choices. Returns null if the run does not fail when its own script is replayed.
 */
export async function shrinkRun({
  plan,
  script,
  run: runPlan,
  triesMax = 1_500,
}: ShrinkOptions): Promise<ShrunkRun | null> {
  let best = { plan, script };
  let tries = 0;
  let violation: InvariantViolation | null = null;
  const fails = async (smaller: {
    readonly plan: SimPlan;
    readonly script: ChoiceScript;
  }): Promise<boolean> => {
    if (tries >= triesMax) return false;
    tries += 1;
    const run = await runPlan(smaller.plan, createScriptedChoices(smaller.script));
    const expected: InvariantNumber | undefined = violation?.invariant ?? run.violation?.invariant;
    if (run.violation === null || run.violation.invariant !== expected) return false;
    violation = run.violation;
    best = smaller;
    return true;
  };
  if (!(await fails(best)) || violation === null) return null;
  // Repeat until stable, because each pass may enable further reductions by the other.
  for (let before = ''; before !== JSON.stringify(best);) {
    before = JSON.stringify(best);
    await shrinkPlan(
      () => best.plan,
      (smaller) => fails({ plan: smaller, script: best.script }),
    );
    await shrinkChoices(
      () => Object.entries(best.script),
      (left) => fails({ plan: best.plan, script: Object.fromEntries(left) }),
    );
  }
  return { ...best, violation, tries };
}

async function shrinkPlan(current: () => SimPlan, fails: (plan: SimPlan) => Promise<boolean>): Promise<void> {
  for (const smaller of planReducers) {
    for (let index = 0; ;) {
      const next = smaller(current(), index);
      if (next === null) break;
      // After a removal, the same index refers to the next part.
      if (!(await fails(next))) index += 1;
    }
  }
}

/** Each reducer returns the plan without its part number `index`, or null if there is none. */
const planReducers: readonly ((plan: SimPlan, index: number) => SimPlan | null)[] = [
  removeFault,
  (plan, index) => (index === 0 && plan.processes > 1 ? { ...plan, processes: plan.processes - 1 } : null),
  removeSession,
  removeTurn,
  removeStep,
  removeInterference,
];

function removeFault(plan: SimPlan, index: number): SimPlan | null {
  const name = Object.keys(plan.faults)[index] as FaultName | undefined;
  if (name === undefined) return null;
  const { [name]: _, ...faults } = plan.faults;
  return { ...plan, faults };
}

function removeSession(plan: SimPlan, index: number): SimPlan | null {
  const numbers = listSessionNumbers(plan);
  const number = numbers[index];
  if (number === undefined || numbers.length === 1) return null;
  return {
    ...plan,
    sessions: plan.sessions.map((each, at) => (at === number ? { ...each, turns: [] } : each)),
  };
}

function removeTurn(plan: SimPlan, index: number): SimPlan | null {
  return applySessionChange(plan, index, (session) =>
    session.turns.map((_, turn) => ({ ...session, turns: session.turns.filter((__, at) => at !== turn) })),
  );
}

function removeStep(plan: SimPlan, index: number): SimPlan | null {
  return applySessionChange(plan, index, (session) =>
    session.turns.flatMap(({ steps }, turn) =>
      steps.map((_, step) => ({
        ...session,
        turns: session.turns.map((each, at) =>
          at === turn ? { ...each, steps: each.steps.filter((__, number) => number !== step) } : each,
        ),
      })),
    ),
  );
}

function removeInterference(plan: SimPlan, index: number): SimPlan | null {
  return applySessionChange(plan, index, (session) =>
    session.turns.flatMap(({ interference }, turn) => {
      if (interference === null) return [];
      const turns = session.turns.map((each, at) => (at === turn ? { ...each, interference: null } : each));
      return [{ ...session, turns }];
    }),
  );
}

/** Returns the plan with one of all possible session reductions applied. */
function applySessionChange(
  plan: SimPlan,
  index: number,
  changes: (session: PlannedSession) => readonly PlannedSession[],
): SimPlan | null {
  const plans = plan.sessions.flatMap((session, number) =>
    changes(session).map((next) => ({
      ...plan,
      sessions: plan.sessions.map((each, at) => (at === number ? next : each)),
    })),
  );
  const rest = plans.filter((each) => listSessionNumbers(each).length > 0);
  return rest[index] ?? null;
}

type ScriptedChoice = readonly [name: string, value: number];

/** Removes halves, then quarters and so on, down to single choices (delta debugging; Zeller and Hildebrandt, 2002). */
async function shrinkChoices(
  current: () => readonly ScriptedChoice[],
  fails: (left: readonly ScriptedChoice[]) => Promise<boolean>,
): Promise<void> {
  for (let size = Math.ceil(current().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < current().length;) {
      const choices = current();
      const left = [...choices.slice(0, start), ...choices.slice(start + size)];
      if (!(await fails(left))) start += size;
    }
  }
}
