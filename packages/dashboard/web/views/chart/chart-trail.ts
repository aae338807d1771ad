/** A transition that event `seq` caused, after `durationMs` in the previous state. */
export type RecordedMove = {
  readonly seq: number;
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly durationMs: number;
};

export type EdgeEndpoints = { readonly from: string; readonly to: string };

export function formatEdgeId({ from, to }: EdgeEndpoints): string {
  return `${from}→${to}`;
}

/** Number of visits and total time per state, and number of transitions per edge. */
export type VisitCounts = { readonly [Name in 'visits' | 'totalMs' | 'taken']: ReadonlyMap<string, number> };

type MutableVisitCounts = { readonly [Name in keyof VisitCounts]: Map<string, number> };

/** Interval between stored counts, in transitions; recounting the rest is fast. */
const countsInterval = 2_048;

/** The transitions in one chart, with the visit counts after any of them. */
export class ChartTrail {
  readonly initial: string;
  readonly moves: RecordedMove[] = [];
  /** The first transition along each edge. */
  readonly ways: Map<string, RecordedMove> = new Map();
  readonly states: Set<string>;
  readonly #kept: MutableVisitCounts[];
  readonly #tally: MutableVisitCounts;

  constructor(initial: string) {
    this.initial = initial;
    this.states = new Set([initial]);
    this.#tally = { visits: new Map([[initial, 1]]), totalMs: new Map(), taken: new Map() };
    this.#kept = [copyVisitCounts(this.#tally)];
  }

  add(move: RecordedMove): void {
    const id = formatEdgeId(move);
    this.moves.push(move);
    this.states.add(move.from).add(move.to);
    if (!this.ways.has(id)) this.ways.set(id, move);
    countMove(this.#tally, move);
    if (this.moves.length % countsInterval === 0) this.#kept.push(copyVisitCounts(this.#tally));
  }

  /** Returns the counts after the given number of transitions. */
  tallyAt(moves: number): VisitCounts {
    if (moves >= this.moves.length) return copyVisitCounts(this.#tally);
    const block = Math.floor(moves / countsInterval);
    const kept = this.#kept[block];
    const tally = copyVisitCounts(kept ?? this.#tally);
    for (let index = block * countsInterval; index < moves; index += 1) {
      const move = this.moves[index];
      if (move !== undefined) countMove(tally, move);
    }
    return tally;
  }
}

function countMove(tally: MutableVisitCounts, move: RecordedMove): void {
  if (move.from !== move.to) incrementCount(tally.visits, move.to, 1);
  incrementCount(tally.totalMs, move.from, move.durationMs);
  incrementCount(tally.taken, formatEdgeId(move), 1);
}

function incrementCount(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

function copyVisitCounts({ visits, totalMs, taken }: VisitCounts): MutableVisitCounts {
  return { visits: new Map(visits), totalMs: new Map(totalMs), taken: new Map(taken) };
}
