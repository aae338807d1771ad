import type { ChartState } from '../chart.ts';
import { clip, widthOf } from './text.ts';
import type { TieredEdge } from './tiers.ts';

/** A place in a row: a state, or (null) a lane by which lines pass through the row. */
export type Slot = {
  readonly key: string;
  readonly rank: number;
  readonly width: number;
  readonly state: ChartState | null;
};

export type Row = readonly Slot[];

/** A line between neighbouring rows, and how much it counts when they are arranged. */
export type Link = { readonly upper: Slot; readonly lower: Slot; readonly weight: number };

/** The way an edge takes, row by row. Edges with the same trunk share their lanes. */
export type Route = {
  readonly edge: TieredEdge;
  readonly from: Slot;
  readonly lanes: readonly Slot[];
  readonly to: Slot;
  readonly trunk: string;
};

export type Layers = {
  readonly rows: readonly Row[];
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
};

export const nameMax = 32;
const nameSize = 13;
const laneWidth = 10;
const weights = { main: 4, plain: 1, faint: 0.15 } as const;

/** Puts the states into rows, from the initial one down, and gives every line a lane through each row it crosses. */
export function layersOf(
  initial: string,
  states: readonly ChartState[],
  edges: readonly TieredEdge[],
): Layers {
  const ranks = ranksOf(initial, states, edges);
  const nodes = new Map(states.map((state) => [state.name, nodeFor(state, ranks.get(state.name) ?? 0)]));
  const lanes = new Map<string, Slot>();
  const routes = edges.flatMap((edge) => {
    const from = nodes.get(edge.from);
    const to = nodes.get(edge.to);
    return from === undefined || to === undefined ? [] : [routeFor(edge, from, to, lanes)];
  });
  const slots = [...nodes.values(), ...lanes.values()];
  const rows = [...Map.groupBy(slots, (slot) => slot.rank)].toSorted(([first], [second]) => first - second);
  return { rows: rows.map(([, row]) => row), links: routes.flatMap(linksOf), routes };
}

/** The shortest way from the initial state, common events aside; the ends, and what only they lead to, come last. */
function ranksOf(
  initial: string,
  states: readonly ChartState[],
  edges: readonly TieredEdge[],
): ReadonlyMap<string, number> {
  const ends = new Set(states.filter((state) => state.kind === 'terminal').map((state) => state.name));
  const ranks = new Map([[initial, 0]]);
  for (const [name, rank] of ranks) {
    for (const { from, to, tier } of edges) {
      if (from === name && tier !== 'faint' && !ends.has(to) && !ranks.has(to)) ranks.set(to, rank + 1);
    }
  }
  const last = Math.max(...ranks.values()) + 1;
  return new Map(states.map(({ name }) => [name, ranks.get(name) ?? last]));
}

function nodeFor(state: ChartState, rank: number): Slot {
  return {
    key: JSON.stringify([state.name]),
    state,
    rank,
    width: Math.max(88, widthOf(clip(state.name, nameMax), nameSize) + 34),
  };
}

function routeFor(edge: TieredEdge, from: Slot, to: Slot, lanes: Map<string, Slot>): Route {
  const down = to.rank > from.rank;
  const trunk = JSON.stringify(edge.spreads ? ['from', edge.from, down] : ['to', edge.to, down]);
  const between: Slot[] = [];
  for (let rank = from.rank; Math.abs(to.rank - rank) > 1;) {
    rank += down ? 1 : -1;
    const key = `${trunk} ${rank}`;
    const lane = lanes.get(key) ?? { key, rank, width: laneWidth, state: null };
    lanes.set(key, lane);
    between.push(lane);
  }
  return { edge, trunk, from, lanes: between, to };
}

/** Lanes weigh more, so that a line through many rows runs straight. */
function linksOf({ edge, from, lanes, to }: Route): readonly Link[] {
  if (from.rank === to.rank) return [];
  const path = from.rank < to.rank ? [from, ...lanes, to] : [to, ...lanes.toReversed(), from];
  return path.slice(1).map((lower, index) => {
    const upper = path[index] ?? from;
    const isLane = upper.state === null && lower.state === null;
    return { upper, lower, weight: weights[edge.tier] * (isLane ? 3 : 1) };
  });
}
