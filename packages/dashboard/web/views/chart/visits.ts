import { countUpTo } from '../timeline/kept-up.ts';
import type { Walk, Walked } from './walk.ts';

/** A stay in a state: from the event that led there to the one that led away, if one did. */
export type Visit = {
  readonly state: string;
  readonly number: number;
  readonly seq: number | null;
  readonly at: number | null;
  readonly cause: string | null;
  readonly durationMs: number | null;
  readonly leftTo: string | null;
};

/** Every stay up to an event, in order; the first began with the session. */
export function visitsOf({ initial, moves }: Walk, at: number): VisitList {
  return new VisitList(initial, moves, countUpTo(moves, at));
}

/** A window on the stays: each is made when it is looked at, so that a hundred thousand cost nothing. */
export class VisitList {
  readonly #initial: string;
  readonly #walked: readonly Walked[];
  readonly length: number;

  constructor(initial: string, walked: readonly Walked[], moves: number) {
    this.#initial = initial;
    this.#walked = walked;
    this.length = moves + 1;
  }

  visit(index: number): Visit {
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

  /** The latest stays in one state, newest first. */
  latestIn(state: string, max: number): readonly Visit[] {
    const found: Visit[] = [];
    for (let index = this.length - 1; index >= 0 && found.length < max; index -= 1) {
      const name = index === 0 ? this.#initial : this.#walked[index - 1]?.to;
      if (name === state) found.push(this.visit(index));
    }
    return found;
  }
}
