import type { Choices } from './choices.ts';
import type { Schedule } from './plan.ts';
import { createRandom, type Random } from './random.ts';
import type { Trace } from './trace.ts';

/** Something that is under way and will happen. `lane` is whose it is and of what kind; lanes are picked from. */
export type Pending = {
  readonly number: number;
  readonly owner: string;
  readonly lane: string;
  readonly name: string;
  due: number;
  happen(): void;
};

export type Coming = Pick<Pending, 'owner' | 'lane' | 'name' | 'happen'> & { readonly inMs: number };

/** How long after the first thing that is due others may still overtake it. Nothing ever happens before it is due. */
const slackMs = 5;

/** Captured before anything could put a trap in its place. */
const { setImmediate: later } = globalThis;

/**
 * Time, and everything that happens in it: one thing after the other, in an order that the choices decide. Between two of
 * them all that follows at once has followed.
 */
export class Scheduler {
  readonly #pending = new Set<Pending>();
  readonly #choices: Choices;
  readonly #draw: (ready: readonly Pending[], random: Random) => number;
  readonly #trace: Trace;
  #count = 0;
  #now = 0;
  #steps = 0;

  constructor(choices: Choices, schedule: Schedule, trace: Trace) {
    this.#choices = choices;
    this.#trace = trace;
    this.#draw = schedule.kind === 'weighted' ? weighted(schedule.seed) : byPriority(schedule);
  }

  /** Milliseconds since the beginning of the run: true time, which no process sees. */
  get now(): number {
    return this.#now;
  }

  get steps(): number {
    return this.#steps;
  }

  get pending(): ReadonlySet<Pending> {
    return this.#pending;
  }

  add({ inMs, ...coming }: Coming): Pending {
    this.#count += 1;
    const pending = { ...coming, number: this.#count, due: this.#now + inMs };
    this.#pending.add(pending);
    return pending;
  }

  remove(pending: Pending): void {
    this.#pending.delete(pending);
  }

  /** A process is stopped: nothing it waits for comes before that time. */
  hold(owner: string, until: number): void {
    for (const pending of this.#pending)
      if (pending.owner === owner) pending.due = Math.max(pending.due, until);
  }

  /** The end of a process: nothing it waits for will ever come. */
  drop(owner: string): void {
    for (const pending of this.#pending) if (pending.owner === owner) this.#pending.delete(pending);
  }

  /** Makes one thing happen, with all that follows at once; resolves to it, or to null when there is none. */
  async step(): Promise<Pending | null> {
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
    next.happen();
    await drained();
    return next;
  }

  #ready(): readonly Pending[] {
    let soonest = Infinity;
    for (const { due } of this.#pending) if (due < soonest) soonest = due;
    if (soonest === Infinity) return [];
    const horizon = Math.max(this.#now, soonest) + slackMs;
    const ready = [...this.#pending].filter(({ due }) => due <= horizon);
    return ready.toSorted((a, b) => a.due - b.due || a.number - b.number);
  }
}

/** All microtasks have run when the event loop comes round. */
export function drained(): Promise<void> {
  return new Promise((resolve) => {
    later(resolve);
  });
}

/** Some lanes are quicker than others in this run. */
function weighted(seed: number): (ready: readonly Pending[], random: Random) => number {
  const weightOf = drawOnce(seed, (random) => random.pick([1, 3, 10]));
  return (ready, random) => {
    const weights = ready.map(({ lane }) => weightOf(lane));
    let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
    return Math.max(
      0,
      weights.findIndex((weight) => (left -= weight) < 0),
    );
  };
}

function byPriority({
  seed,
  changes,
}: Extract<Schedule, { kind: 'priorities' }>): (ready: readonly Pending[]) => number {
  const priorityOf = drawOnce(seed, (random) => random.next());
  const lowered = new Map<string, number>();
  let picks = 0;
  return (ready) => {
    picks += 1;
    const priorities = ready.map(({ lane }) => lowered.get(lane) ?? priorityOf(lane));
    const best = priorities.indexOf(Math.max(...priorities));
    const { lane } = ready[best] ?? { lane: '' };
    if (changes.includes(picks)) lowered.set(lane, -picks);
    return best;
  };
}

function drawOnce(seed: number, draw: (random: Random) => number): (lane: string) => number {
  const random = createRandom(seed);
  const drawn = new Map<string, number>();
  return (lane) => {
    const known = drawn.get(lane);
    if (known !== undefined) return known;
    const value = draw(random);
    drawn.set(lane, value);
    return value;
  };
}
