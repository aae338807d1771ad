import type { ChartState } from '../chart.ts';
import { labelsOf, type ChartEdge, type LabelledMove } from '../edges.ts';

/** How strongly an edge is drawn: the way the chart is told, the other ways, and what leads there from everywhere. */
type Tier = 'main' | 'plain' | 'faint';

export type TieredEdge = ChartEdge & {
  readonly tier: Tier;
  /** What is written beside it: its labels, without those that nearly every state has. */
  readonly labels: readonly string[];
  /** It is one of very many that leave a state on one event, and runs with them instead of with those to its target. */
  readonly spreads: boolean;
};

/** An event that leads from nearly every state to one (`at` its end), or from one to nearly every other (its start). */
export type Common = { readonly event: string; readonly at: string; readonly end: 'to' | 'from' };

export function tiersOf(
  states: readonly ChartState[],
  edges: readonly ChartEdge[],
  commons: readonly Common[],
): readonly TieredEdge[] {
  const common = new Set(commons.map(keyOf));
  const gathers = ({ to }: ChartEdge, { on }: LabelledMove): boolean =>
    on !== null && common.has(keyOf({ event: on, at: to, end: 'to' }));
  const spreads = ({ from }: ChartEdge, { on }: LabelledMove): boolean =>
    on !== null && common.has(keyOf({ event: on, at: from, end: 'from' }));
  const own = (edge: ChartEdge): readonly LabelledMove[] =>
    edge.moves.filter((move) => !gathers(edge, move) && !spreads(edge, move));
  const told = wayTold(
    states,
    edges.filter((edge) => own(edge).length > 0),
  );
  return edges.map((edge) => ({
    ...edge,
    tier: own(edge).length === 0 ? 'faint' : told.has(edge) ? 'main' : 'plain',
    labels: labelsOf(own(edge)),
    spreads: edge.moves.every((move) => spreads(edge, move)),
  }));
}

/** The events that connect one state with at least half of the others, and with four or more. */
export function commonIn(states: readonly ChartState[], edges: readonly ChartEdge[]): readonly Common[] {
  const found = new Map<string, { readonly common: Common; readonly others: Set<string> }>();
  for (const { from, to, moves } of edges.filter((edge) => edge.from !== edge.to)) {
    for (const event of new Set(moves.flatMap(({ on }) => on ?? []))) {
      note({ event, at: to, end: 'to' }, from);
      note({ event, at: from, end: 'from' }, to);
    }
  }
  const many = Math.max(4, (states.length - 1) / 2);
  return [...found.values()].filter(({ others }) => others.size >= many).map(({ common }) => common);

  function note(common: Common, other: string): void {
    const known = found.get(keyOf(common)) ?? { common, others: new Set() };
    known.others.add(other);
    found.set(keyOf(common), known);
  }
}

function keyOf({ event, at, end }: Common): string {
  return JSON.stringify([event, at, end]);
}

/**
 * The way a reader is led through the chart, told by the order in which its states are listed: from each state to the
 * nearest one further down, and to each from the nearest one further up.
 */
function wayTold(states: readonly ChartState[], edges: readonly ChartEdge[]): ReadonlySet<ChartEdge> {
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
