import { followScript, type Choices, type Script } from './choices.ts';
import type { FaultName } from './faults.ts';
import type { Invariant, Violation } from './oracle/invariants.ts';
import { sessionNumbers, type Plan, type PlannedSession } from './plan.ts';

/** A run that fails, as small as it could be made. */
export type Shrunk = {
  readonly plan: Plan;
  readonly script: Script;
  readonly violation: Violation;
  readonly tries: number;
};

export type Shrinking = {
  readonly plan: Plan;
  readonly script: Script;
  /** Runs a plan, by these choices. */
  readonly run: (plan: Plan, choices: Choices) => Promise<{ readonly violation: Violation | null }>;
  readonly triesMax?: number;
};

/**
 * Makes a run that fails smaller, as long as the same thing fails: fewer faults, processes, sessions and steps, then fewer
 * choices that are not the plain ones. Null if it does not even fail when its own script is followed.
 */
export async function shrink({
  plan,
  script,
  run: runPlan,
  triesMax = 1_500,
}: Shrinking): Promise<Shrunk | null> {
  let best = { plan, script };
  let tries = 0;
  let violation: Violation | null = null;
  const fails = async (smaller: { readonly plan: Plan; readonly script: Script }): Promise<boolean> => {
    if (tries >= triesMax) return false;
    tries += 1;
    const run = await runPlan(smaller.plan, followScript(smaller.script));
    const expected: Invariant | undefined = violation?.invariant ?? run.violation?.invariant;
    if (run.violation === null || run.violation.invariant !== expected) return false;
    violation = run.violation;
    best = smaller;
    return true;
  };
  if (!(await fails(best)) || violation === null) return null;
  // What one pass has taken away may be what the other needed.
  for (let before = ''; before !== JSON.stringify(best);) {
    before = JSON.stringify(best);
    await withSmallerPlan(
      () => best.plan,
      (smaller) => fails({ plan: smaller, script: best.script }),
    );
    await withFewerChoices(
      () => Object.entries(best.script),
      (left) => fails({ plan: best.plan, script: Object.fromEntries(left) }),
    );
  }
  return { ...best, violation, tries };
}

async function withSmallerPlan(current: () => Plan, fails: (plan: Plan) => Promise<boolean>): Promise<void> {
  for (const smaller of smallerPlans) {
    for (let index = 0; ;) {
      const next = smaller(current(), index);
      if (next === null) break;
      // What is gone moves the rest up: the same number then names the next one.
      if (!(await fails(next))) index += 1;
    }
  }
}

/** Each returns the plan without its part number `index`; null when there is none. */
const smallerPlans: readonly ((plan: Plan, index: number) => Plan | null)[] = [
  withoutFault,
  (plan, index) => (index === 0 && plan.processes > 1 ? { ...plan, processes: plan.processes - 1 } : null),
  withoutSession,
  withoutTurn,
  withoutStep,
  withoutInterference,
];

function withoutFault(plan: Plan, index: number): Plan | null {
  const name = Object.keys(plan.faults)[index] as FaultName | undefined;
  if (name === undefined) return null;
  const { [name]: _, ...faults } = plan.faults;
  return { ...plan, faults };
}

function withoutSession(plan: Plan, index: number): Plan | null {
  const numbers = sessionNumbers(plan);
  const number = numbers[index];
  if (number === undefined || numbers.length === 1) return null;
  return {
    ...plan,
    sessions: plan.sessions.map((each, at) => (at === number ? { ...each, turns: [] } : each)),
  };
}

function withoutTurn(plan: Plan, index: number): Plan | null {
  return changed(plan, index, (session) =>
    session.turns.map((_, turn) => ({ ...session, turns: session.turns.filter((__, at) => at !== turn) })),
  );
}

function withoutStep(plan: Plan, index: number): Plan | null {
  return changed(plan, index, (session) =>
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

function withoutInterference(plan: Plan, index: number): Plan | null {
  return changed(plan, index, (session) =>
    session.turns.flatMap(({ interference }, turn) => {
      if (interference === null) return [];
      const turns = session.turns.map((each, at) => (at === turn ? { ...each, interference: null } : each));
      return [{ ...session, turns }];
    }),
  );
}

/** The plan with the change of that number, of all that can be made to its sessions. */
function changed(
  plan: Plan,
  index: number,
  changes: (session: PlannedSession) => readonly PlannedSession[],
): Plan | null {
  const plans = plan.sessions.flatMap((session, number) =>
    changes(session).map((next) => ({
      ...plan,
      sessions: plan.sessions.map((each, at) => (at === number ? next : each)),
    })),
  );
  const rest = plans.filter((each) => sessionNumbers(each).length > 0);
  return rest[index] ?? null;
}

type Choice = readonly [name: string, value: number];

/** Leaves out halves, then quarters and so on, down to single choices (Zeller and Hildebrandt, 2002). */
async function withFewerChoices(
  current: () => readonly Choice[],
  fails: (left: readonly Choice[]) => Promise<boolean>,
): Promise<void> {
  for (let size = Math.ceil(current().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < current().length;) {
      const choices = current();
      const left = [...choices.slice(0, start), ...choices.slice(start + size)];
      if (!(await fails(left))) start += size;
    }
  }
}
