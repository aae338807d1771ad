import type { ChoiceSource } from './choices.ts';
import type { SchedulePolicy } from './plan.ts';
import { createRandomSource, type RandomSource } from './random.ts';
import type { DigestTrace } from './trace.ts';

/** A pending task. `lane` is its owner and kind; the schedule policy picks between lanes. */
export type PendingTask = {
  readonly number: number;
  readonly owner: string;
  readonly lane: string;
  readonly name: string;
  due: number;
  run(): void;
};

export type PendingTaskOptions = Pick<PendingTask, 'owner' | 'lane' | 'name' | 'run'> & {
  readonly inMs: number;
};

/** Tasks due within this time after the earliest one may overtake it. No task runs before it is due. */
const slackMs = 5;

/** Captured before the global traps replace it. */
const { setImmediate: scheduleImmediate } = globalThis;

/**
 * Simulated time and scheduling: runs one task at a time, in an order determined by the choices. All microtasks of a
 * task finish before the next one runs.
 */
export class SimScheduler {
  readonly #pending = new Set<PendingTask>();
  readonly #choices: ChoiceSource;
  readonly #draw: (ready: readonly PendingTask[], random: RandomSource) => number;
  readonly #trace: DigestTrace;
  #count = 0;
  #now = 0;
  #steps = 0;

  constructor(choices: ChoiceSource, schedule: SchedulePolicy, trace: DigestTrace) {
    this.#choices = choices;
    this.#trace = trace;
    this.#draw =
      schedule.kind === 'weighted' ? createWeightedDraw(schedule.seed) : createPriorityDraw(schedule);
  }

  /** True time in milliseconds since the start of the run; processes cannot see it. */
  get now(): number {
    return this.#now;
  }

  get steps(): number {
    return this.#steps;
  }

  get pending(): ReadonlySet<PendingTask> {
    return this.#pending;
  }

  add({ inMs, ...options }: PendingTaskOptions): PendingTask {
    this.#count += 1;
    const pending = { ...options, number: this.#count, due: this.#now + inMs };
    this.#pending.add(pending);
    return pending;
  }

  remove(pending: PendingTask): void {
    this.#pending.delete(pending);
  }

  /** Suspends a process: none of its pending tasks runs before that time. */
  hold(owner: string, until: number): void {
    for (const pending of this.#pending)
      if (pending.owner === owner) pending.due = Math.max(pending.due, until);
  }

  /** Ends a process: none of its pending tasks will run. */
  drop(owner: string): void {
    for (const pending of this.#pending) if (pending.owner === owner) this.#pending.delete(pending);
  }

  /** Runs one task and its microtasks; resolves to the task, or to null if there is none. */
  async step(): Promise<PendingTask | null> {
    const ready = this.#ready();
    const first = ready[0];
    if (first === undefined) return null;
    const drawn =
      ready.length === 1 ? 0 : this.#choices.choose('next', (random) => this.#draw(ready, random));
    const next = ready[drawn % ready.length] ?? first;
    this.#pending.delete(next);
    this.#now = Math.max(this.#now, next.due);
    this.#steps += 1;
    this.#trace.add(`${this.#now} ${next.name}`);
    next.run();
    await drainMicrotasks();
    return next;
  }

  #ready(): readonly PendingTask[] {
    let earliest = Infinity;
    for (const { due } of this.#pending) if (due < earliest) earliest = due;
    if (earliest === Infinity) return [];
    const horizon = Math.max(this.#now, earliest) + slackMs;
    const ready = [...this.#pending].filter(({ due }) => due <= horizon);
    return ready.toSorted((a, b) => a.due - b.due || a.number - b.number);
  }
}

/** All microtasks have run by the next iteration of the event loop. */
export function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    scheduleImmediate(resolve);
  });
}

/** Gives each lane a random weight, so that some lanes are faster than others in this run. */
function createWeightedDraw(seed: number): (ready: readonly PendingTask[], random: RandomSource) => number {
  const getWeight = createCachedDraw(seed, (random) => random.pick([1, 3, 10]));
  return (ready, random) => {
    const weights = ready.map(({ lane }) => getWeight(lane));
    let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
    return Math.max(
      0,
      weights.findIndex((weight) => (left -= weight) < 0),
    );
  };
}

function createPriorityDraw({
  seed,
  changes,
}: Extract<SchedulePolicy, { kind: 'priorities' }>): (ready: readonly PendingTask[]) => number {
  const getPriority = createCachedDraw(seed, (random) => random.next());
  const lowered = new Map<string, number>();
  let picks = 0;
  return (ready) => {
    picks += 1;
    const priorities = ready.map(({ lane }) => lowered.get(lane) ?? getPriority(lane));
    const best = priorities.indexOf(Math.max(...priorities));
    const { lane } = ready[best] ?? { lane: '' };
    if (changes.includes(picks)) lowered.set(lane, -picks);
    return best;
  };
}

function createCachedDraw(seed: number, draw: (random: RandomSource) => number): (lane: string) => number {
  const random = createRandomSource(seed);
  const drawn = new Map<string, number>();
  return (lane) => {
    const cached = drawn.get(lane);
    if (cached !== undefined) return cached;
    const value = draw(random);
    drawn.set(lane, value);
    return value;
  };
}
