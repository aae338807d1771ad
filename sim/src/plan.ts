import { usualRates, type FaultName, type FaultRates } from './faults.ts';
import { createRandom, type Random } from './random.ts';

/** A call that the model will ask for. `id` says what the model makes of its id: a new one, always the same, or none. */
export type PlannedCall = {
  readonly tool: 'read' | 'edit' | 'send' | 'shell' | 'missing';
  readonly permission: 'allow' | 'ask' | 'deny';
  readonly id: 'fresh' | 'same' | 'none';
};

/** One reply of the model: its calls, made together. */
export type PlannedStep = readonly PlannedCall[];

/** What the user does while the agent is at work. */
export type Interference = 'cancel' | 'pause' | 'finish' | 'say';

/** From a message of the user to the answer. */
export type PlannedTurn = {
  readonly steps: readonly PlannedStep[];
  readonly interference: Interference | null;
};

export type PlannedSession = {
  readonly turns: readonly PlannedTurn[];
  readonly governed: boolean;
  /** Whether it has a working memory. */
  readonly remembers: boolean;
  /** How often the model may be asked; null for as often as needed. */
  readonly modelCalls: number | null;
  readonly ending: 'wait' | 'shut-down';
  /** It brings down every worker that asks its model. */
  readonly poison?: boolean;
};

/** How the next of several things that could happen is drawn. */
export type Schedule =
  | { readonly kind: 'weighted'; readonly seed: number }
  /** Always what has the highest priority, which falls at each of these steps (Burckhardt et al., 2010). */
  | { readonly kind: 'priorities'; readonly seed: number; readonly changes: readonly number[] };

/** All there is to know about a run but its choices. */
export type Plan = {
  readonly seed: number;
  readonly processes: number;
  readonly sessions: readonly PlannedSession[];
  readonly faults: FaultRates;
  readonly schedule: Schedule;
  readonly store: 'memory' | 'sqlite';
};

/** The share of sessions that have a budget. */
const budgetRate = 0.1;

/** Every sixteenth seed is run on a real database in a file. */
export const sqliteEvery = 16;

/** The sessions there are, by number. One without turns is not there: the others keep their numbers all the same. */
export function sessionNumbers({ sessions }: Plan): readonly number[] {
  return [...sessions.keys()].filter((index) => sessions[index]?.turns.length !== 0);
}

/** Sessions are named by their number. */
export function sessionId(number: number): string {
  return `s${number}`;
}

export function plannedSession({ sessions }: Plan, id: string): PlannedSession | undefined {
  return sessions[Number(id.slice(1))];
}

export function planFor(seed: number): Plan {
  const random = createRandom(seed * 2 + 1);
  const sessions = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3, 4]) }, () => sessionFor(random));
  return {
    seed,
    processes: random.pick([1, 2, 2, 3]),
    sessions,
    faults: faultsFor(random),
    schedule: scheduleFor(random),
    store: seed % sqliteEvery === 0 ? 'sqlite' : 'memory',
  };
}

export function sessionFor(random: Random): PlannedSession {
  let left = 1 + random.below(random.chance(0.15) ? 15 : 5);
  const turns: PlannedTurn[] = [];
  while (left > 0) {
    const count = Math.min(left, 1 + random.below(4));
    left -= count;
    turns.push({
      steps: Array.from({ length: count }, () => stepFor(random)),
      interference: random.chance(0.3) ? random.pick(['cancel', 'pause', 'finish', 'say']) : null,
    });
  }
  return {
    turns,
    governed: random.chance(0.7),
    remembers: random.chance(0.15),
    modelCalls: random.chance(budgetRate) ? 3 + random.below(5) : null,
    ending: random.chance(0.1) ? 'shut-down' : 'wait',
  };
}

function stepFor(random: Random): PlannedStep {
  const alike = random.chance(0.4);
  return Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => ({
    tool: random.chance(0.03) ? 'missing' : random.pick(['read', 'edit', 'send', 'shell', 'shell']),
    permission: random.pick(['allow', 'allow', 'allow', 'allow', 'ask', 'ask', 'deny']),
    id: alike ? random.pick(['same', 'same', 'none']) : 'fresh',
  }));
}

/** A random part of the faults, each at its own rate: faults that always strike together hide what one alone does. */
export function faultsFor(random: Random, all: FaultRates = usualRates): FaultRates {
  if (random.chance(0.05)) return {};
  const share = random.pick([0.15, 0.35, 0.6]);
  const rates: Partial<Record<FaultName, number>> = {};
  for (const [name, rate] of Object.entries(all)) {
    if (random.chance(share)) rates[name as FaultName] = Math.min(1, rate * random.pick([0.4, 1, 2.5]));
  }
  return rates;
}

export function scheduleFor(random: Random): Schedule {
  const seed = random.below(2 ** 31);
  if (random.chance(0.5)) return { kind: 'weighted', seed };
  const changes = Array.from({ length: 1 + random.below(3) }, () => random.below(300));
  return { kind: 'priorities', seed, changes };
}
