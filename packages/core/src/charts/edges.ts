import type { ChartMove, ChartState } from './chart.ts';

/** All the moves from one state to another, drawn as one line. */
export type ChartEdge = {
  readonly from: string;
  readonly to: string;
  readonly moves: readonly LabelledMove[];
};

/** The label says what sets the move off: an event, a condition in square brackets, or both. */
export type LabelledMove = ChartMove & { readonly label: string };

/** One edge for each pair of states with a move between them, in the order of the chart. */
export function edgesOf(states: readonly ChartState[]): readonly ChartEdge[] {
  return states.flatMap((state) => {
    const moves = state.moves.map((move) => ({ ...move, label: labelOf(move, state) }));
    return [...Map.groupBy(moves, (move) => move.to)].map(([to, group]) => ({
      from: state.name,
      to,
      moves: group,
    }));
  });
}

/** What is written on a line that stands for these moves. */
export function labelsOf(moves: readonly LabelledMove[]): readonly string[] {
  return [...new Set(moves.map((move) => move.label))].filter((label) => label !== '');
}

function labelOf({ on, when }: ChartMove, state: ChartState): string {
  const isRest = state.moves.some((other) => other.on === on && other.when !== null);
  const condition = when ?? (isRest ? 'otherwise' : null);
  return [on, condition === null ? null : `[${condition}]`].filter((part) => part !== null).join(' ');
}
