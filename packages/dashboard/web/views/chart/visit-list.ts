import { countUntilEvent } from '../../app/incremental-fold.ts';
import type { ChartTrail, RecordedMove } from './chart-trail.ts';

/** A visit to a state, from the event that entered it to the event that left it, if any. */
export type VisitRecord = {
  readonly state: string;
  readonly number: number;
  readonly seq: number | null;
  readonly at: number | null;
  readonly cause: string | null;
  readonly durationMs: number | null;
  readonly nextState: string | null;
};

/** Lists the visits up to an event, in order; the first starts with the session. */
export function listVisits({ initial, transitions }: ChartTrail, at: number): VisitList {
  return new VisitList(initial, transitions, countUntilEvent(transitions, at));
}

/** A lazy view of the visits: records are created on access, so a hundred thousand visits cost nothing. */
export class VisitList {
  readonly #initial: string;
  readonly #transitions: readonly RecordedMove[];
  readonly length: number;

  constructor(initial: string, transitions: readonly RecordedMove[], count: number) {
    this.#initial = initial;
    this.#transitions = transitions;
    this.length = count + 1;
  }

  visit(index: number): VisitRecord {
    const initialEntry = { to: this.#initial, seq: null, at: null, cause: null };
    const entered = this.#transitions[index - 1] ?? initialEntry;
    const exited = index + 1 < this.length ? this.#transitions[index] : undefined;
    return {
      state: entered.to,
      number: index + 1,
      seq: entered.seq,
      at: entered.at,
      cause: entered.cause,
      durationMs: exited?.durationMs ?? null,
      nextState: exited?.to ?? null,
    };
  }

  /** Returns the latest visits to one state, newest first. */
  latestIn(state: string, max: number): readonly VisitRecord[] {
    const visits: VisitRecord[] = [];
    for (let index = this.length - 1; index >= 0 && visits.length < max; index -= 1) {
      const name = index === 0 ? this.#initial : this.#transitions[index - 1]?.to;
      if (name === state) visits.push(this.visit(index));
    }
    return visits;
  }
}
