import { listMoveLabels, type ChartEdge, type ChartState, type LabeledMove } from '@pawl/core/charts';

/** How strongly an edge is drawn: the main path, other edges, and edges shared by nearly every state. */
type EdgeTier = 'main' | 'plain' | 'faint';

export type TieredEdge = ChartEdge & {
  readonly tier: EdgeTier;
  /** The labels of the edge, without those shared by nearly every state. */
  readonly labels: readonly string[];
};

/**
 * An event that leads from nearly every state to one (`end` is `to`), or from one to nearly every other (`end` is
 * `from`).
 */
export type CommonEvent = { readonly event: string; readonly at: string; readonly end: 'to' | 'from' };

export function assignEdgeTiers(
  states: readonly ChartState[],
  edges: readonly ChartEdge[],
  commonEvents: readonly CommonEvent[],
): readonly TieredEdge[] {
  const commonKeys = new Set(commonEvents.map(getCommonEventKey));
  const isGathering = ({ to }: ChartEdge, { on }: LabeledMove): boolean =>
    on !== null && commonKeys.has(getCommonEventKey({ event: on, at: to, end: 'to' }));
  const isSpreading = ({ from }: ChartEdge, { on }: LabeledMove): boolean =>
    on !== null && commonKeys.has(getCommonEventKey({ event: on, at: from, end: 'from' }));
  const listOwnMoves = (edge: ChartEdge): readonly LabeledMove[] =>
    edge.moves.filter((move) => !isGathering(edge, move) && !isSpreading(edge, move));
  const mainPath = findMainPath(
    states,
    edges.filter((edge) => listOwnMoves(edge).length > 0),
  );
  return edges.map((edge) => ({
    ...edge,
    tier: listOwnMoves(edge).length === 0 ? 'faint' : mainPath.has(edge) ? 'main' : 'plain',
    labels: listMoveLabels(listOwnMoves(edge)),
  }));
}

/** Finds the events that connect one state with at least half of the others, and with at least four. */
export function findCommonEvents(
  states: readonly ChartState[],
  edges: readonly ChartEdge[],
): readonly CommonEvent[] {
  const candidates = new Map<string, { readonly common: CommonEvent; readonly others: Set<string> }>();
  for (const { from, to, moves } of edges.filter((edge) => edge.from !== edge.to)) {
    for (const event of new Set(moves.flatMap(({ on }) => on ?? []))) {
      addState({ event, at: to, end: 'to' }, from);
      addState({ event, at: from, end: 'from' }, to);
    }
  }
  const minStates = Math.max(4, (states.length - 1) / 2);
  return [...candidates.values()]
    .filter(({ others }) => others.size >= minStates)
    .map(({ common }) => common);

  function addState(common: CommonEvent, other: string): void {
    const known = candidates.get(getCommonEventKey(common)) ?? { common, others: new Set() };
    known.others.add(other);
    candidates.set(getCommonEventKey(common), known);
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
  const positions = new Map(states.map((state, index) => [state.name, index]));
  const terminalNames = new Set(
    states.filter((state) => state.kind === 'terminal').map((state) => state.name),
  );
  const getEdgeLength = ({ from, to }: ChartEdge): number =>
    (positions.get(to) ?? 0) - (positions.get(from) ?? 0);
  const forward = edges.filter((edge) => getEdgeLength(edge) > 0 && !terminalNames.has(edge.to));
  const findShortest = (group: readonly ChartEdge[]): ChartEdge =>
    group.reduce((best, edge) => (getEdgeLength(edge) < getEdgeLength(best) ? edge : best));
  return new Set([
    ...[...Map.groupBy(forward, (edge) => edge.from).values()].map(findShortest),
    ...[...Map.groupBy(forward, (edge) => edge.to).values()].map(findShortest),
  ]);
}
