import { countUntilEvent } from '../timeline/incremental-fold.ts';
import type { ChartTrail, RecordedMove } from './chart-trail.ts';

/** A visit to a state, from the event that entered it to the event that left it, if any. */
export type VisitRecord = {
  readonly state: string;
  readonly number: number;
  readonly seq: number | null;
  readonly at: number | null;
  readonly cause: string | null;
  readonly durationMs: number | null;
  readonly leftTo: string | null;
};

/** Lists the visits up to an event, in order; the first starts with the session. */
export function listVisits({ initial, moves }: ChartTrail, at: number): VisitList {
  return new VisitList(initial, moves, countUntilEvent(moves, at));
}

/** A lazy view of the visits: records are created on access, so a hundred thousand visits cost nothing. */
export class VisitList {
  readonly #initial: string;
  readonly #walked: readonly RecordedMove[];
  readonly length: number;

  constructor(initial: string, walked: readonly RecordedMove[], moves: number) {
    this.#initial = initial;
    this.#walked = walked;
    this.length = moves + 1;
  }

  visit(index: number): VisitRecord {
    const beginning = { to: this.#initial, seq: null, at: null, cause: null };
    const came = this.#walked[index - 1] ?? beginning;
    const left = index + 1 < this.length ? this.#walked[index] : undefined;
    return {
      state: came.to,
      number: index + 1,
      seq: came.seq,
      at: came.at,
      cause: came.cause,
      durationMs: left?.durationMs ?? null,
      leftTo: left?.to ?? null,
    };
  }

  /** Returns the latest visits to one state, newest first. */
  latestIn(state: string, max: number): readonly VisitRecord[] {
    const found: VisitRecord[] = [];
    for (let index = this.length - 1; index >= 0 && found.length < max; index -= 1) {
      const name = index === 0 ? this.#initial : this.#walked[index - 1]?.to;
      if (name === state) found.push(this.visit(index));
    }
    return found;
  }
}
