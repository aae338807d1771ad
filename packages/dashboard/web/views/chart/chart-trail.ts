import { countUntilEvent } from '../../app/incremental-fold.ts';

/** A transition that event `seq` caused, after `durationMs` in the previous state. */
type RecordedMove = {
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
export type VisitCounts = {
  readonly [Name in 'visits' | 'totalMs' | 'traversals']: ReadonlyMap<string, number>;
};

type MutableVisitCounts = { readonly [Name in keyof VisitCounts]: Map<string, number> };

/** Interval between stored counts, in transitions; recounting the rest is fast. */
const countsInterval = 2_048;

/** The transitions in one chart, with the visit counts after any of them. */
export class ChartTrail {
  readonly initial: string;
  readonly transitions: RecordedMove[] = [];
  /** The first transition along each edge. */
  readonly firstByEdge: Map<string, RecordedMove> = new Map();
  readonly states: Set<string>;
  readonly #snapshots: MutableVisitCounts[];
  readonly #counts: MutableVisitCounts;

  constructor(initial: string) {
    this.initial = initial;
    this.states = new Set([initial]);
    this.#counts = { visits: new Map([[initial, 1]]), totalMs: new Map(), traversals: new Map() };
    this.#snapshots = [copyVisitCounts(this.#counts)];
  }

  add(transition: RecordedMove): void {
    const id = formatEdgeId(transition);
    this.transitions.push(transition);
    this.states.add(transition.from).add(transition.to);
    if (!this.firstByEdge.has(id)) this.firstByEdge.set(id, transition);
    countMove(this.#counts, transition);
    if (this.transitions.length % countsInterval === 0) this.#snapshots.push(copyVisitCounts(this.#counts));
  }

  /** Returns the counts after the given number of transitions. */
  countsAt(count: number): VisitCounts {
    if (count >= this.transitions.length) return copyVisitCounts(this.#counts);
    const block = Math.floor(count / countsInterval);
    const snapshot = this.#snapshots[block];
    const counts = copyVisitCounts(snapshot ?? this.#counts);
    for (let index = block * countsInterval; index < count; index += 1) {
      const transition = this.transitions[index];
      if (transition !== undefined) countMove(counts, transition);
    }
    return counts;
  }
}

function countMove(counts: MutableVisitCounts, transition: RecordedMove): void {
  if (transition.from !== transition.to) incrementCount(counts.visits, transition.to, 1);
  incrementCount(counts.totalMs, transition.from, transition.durationMs);
  incrementCount(counts.traversals, formatEdgeId(transition), 1);
}

function incrementCount(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

function copyVisitCounts({ visits, totalMs, traversals }: VisitCounts): MutableVisitCounts {
  return { visits: new Map(visits), totalMs: new Map(totalMs), traversals: new Map(traversals) };
}

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
