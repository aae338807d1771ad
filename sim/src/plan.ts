import { usualFaultRates, type FaultName, type FaultRates } from './fault-injector.ts';
import { createRandomSource, type RandomSource } from './random.ts';

/** A planned tool call. `id` is the id that the model gives it: a new one, always the same one, or none. */
export type PlannedCall = {
  readonly tool: 'read' | 'edit' | 'send' | 'shell' | 'missing';
  readonly permission: 'allow' | 'ask' | 'deny';
  readonly id: 'fresh' | 'same' | 'none';
};

/** One model reply, with the calls it makes together. */
export type PlannedStep = readonly PlannedCall[];

/** What the user does while the agent works. */
export type UserInterference = 'cancel' | 'pause' | 'finish' | 'say';

/** One turn, from a user message to the answer. */
export type PlannedTurn = {
  readonly steps: readonly PlannedStep[];
  readonly interference: UserInterference | null;
};

export type PlannedSession = {
  readonly turns: readonly PlannedTurn[];
  readonly governed: boolean;
  /** Whether the session has working memory. */
  readonly hasMemory: boolean;
  /** Budget of model calls; null for no limit. */
  readonly modelCalls: number | null;
  readonly ending: 'wait' | 'shut-down';
  /** A poison session: every worker that calls its model crashes. */
  readonly poison?: boolean;
};

/** How the scheduler picks one of several ready tasks. */
export type SchedulePolicy =
  | { readonly kind: 'weighted'; readonly seed: number }
  /** Picks the task with the highest priority, which is lowered at each of these steps (Burckhardt et al., 2010). */
  | { readonly kind: 'priorities'; readonly seed: number; readonly changes: readonly number[] };

/** Everything that defines a run except its choices. */
export type SimPlan = {
  readonly seed: number;
  readonly processes: number;
  readonly sessions: readonly PlannedSession[];
  readonly faults: FaultRates;
  readonly schedule: SchedulePolicy;
  readonly store: 'memory' | 'sqlite';
};

/** Share of sessions with a budget. */
const budgetShare = 0.1;

/** Every sixteenth seed runs on a real SQLite database file. */
export const sqliteSeedInterval = 16;

/** Returns the numbers of the sessions that have turns; removing a session does not renumber the others. */
export function listSessionNumbers({ sessions }: SimPlan): readonly number[] {
  return [...sessions.keys()].filter((index) => sessions[index]?.turns.length !== 0);
}

export function formatSimSessionId(number: number): string {
  return `s${number}`;
}

export function findPlannedSession({ sessions }: SimPlan, id: string): PlannedSession | undefined {
  return sessions[Number(id.slice(1))];
}

export function createSimPlan(seed: number): SimPlan {
  const random = createRandomSource(seed * 2 + 1);
  const sessions = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3, 4]) }, () =>
    drawPlannedSession(random),
  );
  return {
    seed,
    processes: random.pick([1, 2, 2, 3]),
    sessions,
    faults: drawFaultRates(random),
    schedule: drawSchedulePolicy(random),
    store: seed % sqliteSeedInterval === 0 ? 'sqlite' : 'memory',
  };
}

export function drawPlannedSession(random: RandomSource): PlannedSession {
  let left = 1 + random.below(random.chance(0.15) ? 15 : 5);
  const turns: PlannedTurn[] = [];
  while (left > 0) {
    const count = Math.min(left, 1 + random.below(4));
    left -= count;
    turns.push({
      steps: Array.from({ length: count }, () => drawPlannedStep(random)),
      interference: random.chance(0.3) ? random.pick(['cancel', 'pause', 'finish', 'say']) : null,
    });
  }
  return {
    turns,
    governed: random.chance(0.7),
    hasMemory: random.chance(0.15),
    modelCalls: random.chance(budgetShare) ? 3 + random.below(5) : null,
    ending: random.chance(0.1) ? 'shut-down' : 'wait',
  };
}

function drawPlannedStep(random: RandomSource): PlannedStep {
  const alike = random.chance(0.4);
  return Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => ({
    tool: random.chance(0.03) ? 'missing' : random.pick(['read', 'edit', 'send', 'shell', 'shell']),
    permission: random.pick(['allow', 'allow', 'allow', 'allow', 'ask', 'ask', 'deny']),
    id: alike ? random.pick(['same', 'same', 'none']) : 'fresh',
  }));
}

/** Draws a random subset of the faults, each with its own rate, because faults that occur together mask each other. */
export function drawFaultRates(random: RandomSource, all: FaultRates = usualFaultRates): FaultRates {
  if (random.chance(0.05)) return {};
  const share = random.pick([0.15, 0.35, 0.6]);
  const rates: Partial<Record<FaultName, number>> = {};
  for (const [name, rate] of Object.entries(all)) {
    if (random.chance(share)) rates[name as FaultName] = Math.min(1, rate * random.pick([0.4, 1, 2.5]));
  }
  return rates;
}

export function drawSchedulePolicy(random: RandomSource): SchedulePolicy {
  const seed = random.below(2 ** 31);
  if (random.chance(0.5)) return { kind: 'weighted', seed };
  const changes = Array.from({ length: 1 + random.below(3) }, () => random.below(300));
  return { kind: 'priorities', seed, changes };
}
