import type { ChartState } from '../chart.ts';
import { clipToOneLine, estimateTextWidth } from './text.ts';
import type { TieredEdge } from './edge-tiers.ts';

/** A slot in a row: a state, or (null) a lane for lines that pass through the row. */
export type LayerSlot = {
  readonly key: string;
  readonly rank: number;
  readonly width: number;
  readonly state: ChartState | null;
};

export type SlotRow = readonly LayerSlot[];

/** A line between neighboring rows, and its weight in the arrangement. */
export type SlotLink = { readonly upper: LayerSlot; readonly lower: LayerSlot; readonly weight: number };

/** The path of an edge, row by row. Edges with the same trunk share their lanes. */
export type EdgeRoute = {
  readonly edge: TieredEdge;
  readonly from: LayerSlot;
  readonly lanes: readonly LayerSlot[];
  readonly to: LayerSlot;
  readonly trunk: string;
};

export type ChartLayers = {
  readonly rows: readonly SlotRow[];
  readonly links: readonly SlotLink[];
  readonly routes: readonly EdgeRoute[];
};

export const nodeNameMax = 32;
const nodeNameFontSize = 13;
const laneWidth = 10;
const tierWeights = { main: 4, plain: 1, faint: 0.15 } as const;

/** Assigns states to rows, starting with the initial state, and gives every line a lane through each row it crosses. */
export function buildChartLayers(
  initial: string,
  states: readonly ChartState[],
  edges: readonly TieredEdge[],
): ChartLayers {
  const ranks = computeStateRanks(initial, states, edges);
  const nodes = new Map(
    states.map((state) => [state.name, createStateSlot(state, ranks.get(state.name) ?? 0)]),
  );
  const lanes = new Map<string, LayerSlot>();
  const routes = edges.flatMap((edge) => {
    const from = nodes.get(edge.from);
    const to = nodes.get(edge.to);
    return from === undefined || to === undefined ? [] : [routeEdge(edge, from, to, lanes)];
  });
  const slots = [...nodes.values(), ...lanes.values()];
  const rows = [...Map.groupBy(slots, (slot) => slot.rank)].toSorted(([first], [second]) => first - second);
  return { rows: rows.map(([, row]) => row), links: routes.flatMap(listRouteLinks), routes };
}

/**
 * Ranks states by their distance from the initial state, ignoring common events; terminal states and those only
 * reachable through them come last.
 */
function computeStateRanks(
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

function createStateSlot(state: ChartState, rank: number): LayerSlot {
  return {
    key: JSON.stringify([state.name]),
    state,
    rank,
    width: Math.max(88, estimateTextWidth(clipToOneLine(state.name, nodeNameMax), nodeNameFontSize) + 34),
  };
}

function routeEdge(
  edge: TieredEdge,
  from: LayerSlot,
  to: LayerSlot,
  lanes: Map<string, LayerSlot>,
): EdgeRoute {
  const down = to.rank > from.rank;
  const trunk = JSON.stringify(edge.spreads ? ['from', edge.from, down] : ['to', edge.to, down]);
  const between: LayerSlot[] = [];
  for (let rank = from.rank; Math.abs(to.rank - rank) > 1;) {
    rank += down ? 1 : -1;
    const key = `${trunk} ${rank}`;
    const lane = lanes.get(key) ?? { key, rank, width: laneWidth, state: null };
    lanes.set(key, lane);
    between.push(lane);
  }
  return { edge, trunk, from, lanes: between, to };
}

/** Links between lanes weigh more, so that a line through many rows runs straight. */
function listRouteLinks({ edge, from, lanes, to }: EdgeRoute): readonly SlotLink[] {
  if (from.rank === to.rank) return [];
  const path = from.rank < to.rank ? [from, ...lanes, to] : [to, ...lanes.toReversed(), from];
  return path.slice(1).map((lower, index) => {
    const upper = path[index] ?? from;
    const isLane = upper.state === null && lower.state === null;
    return { upper, lower, weight: tierWeights[edge.tier] * (isLane ? 3 : 1) };
  });
}
