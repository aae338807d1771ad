import type { ChartState } from '../chart.ts';
import { listMoveLabels, type ChartEdge, type LabeledMove } from '../edges.ts';

/** How strongly an edge is drawn: the main path, other edges, and edges shared by nearly every state. */
type EdgeTier = 'main' | 'plain' | 'faint';

export type TieredEdge = ChartEdge & {
  readonly tier: EdgeTier;
  /** The labels of the edge, without those shared by nearly every state. */
  readonly labels: readonly string[];
  /**
   * Whether it is one of many edges that leave a state on one event, so that it is bundled at its source instead of its
   * target.
   */
  readonly spreads: boolean;
};

/**
 * An event that leads from nearly every state to one (`end` is `to`), or from one to nearly every other (`end` is
 * `from`).
 */
export type CommonEvent = { readonly event: string; readonly at: string; readonly end: 'to' | 'from' };

export function assignEdgeTiers(
  states: readonly ChartState[],
  edges: readonly ChartEdge[],
  commons: readonly CommonEvent[],
): readonly TieredEdge[] {
  const common = new Set(commons.map(getCommonEventKey));
  const gathers = ({ to }: ChartEdge, { on }: LabeledMove): boolean =>
    on !== null && common.has(getCommonEventKey({ event: on, at: to, end: 'to' }));
  const spreads = ({ from }: ChartEdge, { on }: LabeledMove): boolean =>
    on !== null && common.has(getCommonEventKey({ event: on, at: from, end: 'from' }));
  const own = (edge: ChartEdge): readonly LabeledMove[] =>
    edge.moves.filter((move) => !gathers(edge, move) && !spreads(edge, move));
  const told = findMainPath(
    states,
    edges.filter((edge) => own(edge).length > 0),
  );
  return edges.map((edge) => ({
    ...edge,
    tier: own(edge).length === 0 ? 'faint' : told.has(edge) ? 'main' : 'plain',
    labels: listMoveLabels(own(edge)),
    spreads: edge.moves.every((move) => spreads(edge, move)),
  }));
}

/** Finds the events that connect one state with at least half of the others, and with at least four. */
export function findCommonEvents(
  states: readonly ChartState[],
  edges: readonly ChartEdge[],
): readonly CommonEvent[] {
  const found = new Map<string, { readonly common: CommonEvent; readonly others: Set<string> }>();
  for (const { from, to, moves } of edges.filter((edge) => edge.from !== edge.to)) {
    for (const event of new Set(moves.flatMap(({ on }) => on ?? []))) {
      note({ event, at: to, end: 'to' }, from);
      note({ event, at: from, end: 'from' }, to);
    }
  }
  const many = Math.max(4, (states.length - 1) / 2);
  return [...found.values()].filter(({ others }) => others.size >= many).map(({ common }) => common);

  function note(common: CommonEvent, other: string): void {
    const known = found.get(getCommonEventKey(common)) ?? { common, others: new Set() };
    known.others.add(other);
    found.set(getCommonEventKey(common), known);
  }
}

function getCommonEventKey({ event, at, end }: CommonEvent): string {
  return JSON.stringify([event, at, end]);
}

/**
 * Finds the main path through the chart from the order of its states: from each state to the nearest later one, and to
 * each from the nearest earlier one.
 */
function findMainPath(states: readonly ChartState[], edges: readonly ChartEdge[]): ReadonlySet<ChartEdge> {
  const place = new Map(states.map((state, index) => [state.name, index]));
  const ends = new Set(states.filter((state) => state.kind === 'terminal').map((state) => state.name));
  const length = ({ from, to }: ChartEdge): number => (place.get(to) ?? 0) - (place.get(from) ?? 0);
  const forward = edges.filter((edge) => length(edge) > 0 && !ends.has(edge.to));
  const nearest = (group: readonly ChartEdge[]): ChartEdge =>
    group.reduce((best, edge) => (length(edge) < length(best) ? edge : best));
  return new Set([
    ...[...Map.groupBy(forward, (edge) => edge.from).values()].map(nearest),
    ...[...Map.groupBy(forward, (edge) => edge.to).values()].map(nearest),
  ]);
}
