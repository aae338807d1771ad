import type { ChartMove, ChartState } from './chart.ts';

/** All moves from one state to another, drawn as one line. */
export type ChartEdge = {
  readonly from: string;
  readonly to: string;
  readonly moves: readonly LabeledMove[];
};

/** The label names the trigger of the move: an event, a condition in square brackets, or both. */
export type LabeledMove = ChartMove & { readonly label: string };

/** Builds one edge per pair of connected states, in the order of the chart. */
export function buildChartEdges(states: readonly ChartState[]): readonly ChartEdge[] {
  return states.flatMap((state) => {
    const moves = state.transitions.map((move) => ({ ...move, label: formatMoveLabel(move, state) }));
    return [...Map.groupBy(moves, (move) => move.to)].map(([to, group]) => ({
      from: state.name,
      to,
      moves: group,
    }));
  });
}

/** Returns the distinct labels of the moves. */
export function listMoveLabels(moves: readonly LabeledMove[]): readonly string[] {
  return [...new Set(moves.map((move) => move.label))].filter((label) => label !== '');
}

function formatMoveLabel({ on, guard }: ChartMove, state: ChartState): string {
  const isOtherwise = state.transitions.some((other) => other.on === on && other.guard !== null);
  const condition = guard ?? (isOtherwise ? 'otherwise' : null);
  return [on, condition === null ? null : `[${condition}]`].filter((part) => part !== null).join(' ');
}
