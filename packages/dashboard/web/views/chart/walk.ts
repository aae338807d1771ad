/** A move that was made: by the event `seq`, out of a state that had lasted for `durationMs`. */
export type Walked = {
  readonly seq: number;
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly durationMs: number;
};

export type Way = { readonly from: string; readonly to: string };

export function edgeId({ from, to }: Way): string {
  return `${from}→${to}`;
}

/** How often the work was where, how long, and which ways it took how often. */
export type Tally = { readonly [Name in 'visits' | 'totalMs' | 'taken']: ReadonlyMap<string, number> };

type OpenTally = { readonly [Name in keyof Tally]: Map<string, number> };

/** So many moves lie between two tallies that are kept: counting the rest takes no time. */
const between = 2_048;

/** The way through one chart, with how often it came where after any of its moves. */
export class Walk {
  readonly initial: string;
  readonly moves: Walked[] = [];
  /** Each way once, by its first move. */
  readonly ways: Map<string, Walked> = new Map();
  readonly states: Set<string>;
  readonly #kept: OpenTally[];
  readonly #tally: OpenTally;

  constructor(initial: string) {
    this.initial = initial;
    this.states = new Set([initial]);
    this.#tally = { visits: new Map([[initial, 1]]), totalMs: new Map(), taken: new Map() };
    this.#kept = [copyOf(this.#tally)];
  }

  add(move: Walked): void {
    const id = edgeId(move);
    this.moves.push(move);
    this.states.add(move.from).add(move.to);
    if (!this.ways.has(id)) this.ways.set(id, move);
    count(this.#tally, move);
    if (this.moves.length % between === 0) this.#kept.push(copyOf(this.#tally));
  }

  /** After so many moves. */
  tallyAt(moves: number): Tally {
    if (moves >= this.moves.length) return copyOf(this.#tally);
    const block = Math.floor(moves / between);
    const kept = this.#kept[block];
    const tally = copyOf(kept ?? this.#tally);
    for (let index = block * between; index < moves; index += 1) {
      const move = this.moves[index];
      if (move !== undefined) count(tally, move);
    }
    return tally;
  }
}

function count(tally: OpenTally, move: Walked): void {
  if (move.from !== move.to) add(tally.visits, move.to, 1);
  add(tally.totalMs, move.from, move.durationMs);
  add(tally.taken, edgeId(move), 1);
}

function add(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

function copyOf({ visits, totalMs, taken }: Tally): OpenTally {
  return { visits: new Map(visits), totalMs: new Map(totalMs), taken: new Map(taken) };
}
