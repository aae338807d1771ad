import type { Chart, ChartState } from './chart.ts';

/**
 * The states of a chart, each name once. A target that nobody declared is drawn too: a reader sees at once what is
 * missing, and an export never points at nothing.
 */
export function statesOf(chart: Chart): readonly ChartState[] {
  const states = new Map<string, ChartState>();
  for (const { moves, ...rest } of chart.states) {
    const before = states.get(rest.name);
    states.set(rest.name, before === undefined ? { ...rest, moves } : joined(before, moves));
  }
  for (const name of [chart.initial, ...[...states.values()].flatMap(targets)]) {
    if (!states.has(name))
      states.set(name, { name, kind: 'waiting', description: 'Not declared.', moves: [] });
  }
  return [...states.values()];
}

function joined(state: ChartState, moves: ChartState['moves']): ChartState {
  return { ...state, moves: [...state.moves, ...moves] };
}

function targets(state: ChartState): readonly string[] {
  return state.moves.map((move) => move.to);
}
