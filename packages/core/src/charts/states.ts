import type { Chart, ChartState } from './chart.ts';

/**
 * The states of a chart, each name once. A target that nobody declared is drawn too: a reader sees at once what is
 * missing, and an export never points at nothing.
 */
export function statesOf(chart: Chart): readonly ChartState[] {
  const states = new Map<string, ChartState>();
  for (const state of chart.states) {
    const before = states.get(state.name);
    states.set(state.name, before === undefined ? state : joined(before, state));
  }
  for (const name of [chart.initial, ...[...states.values()].flatMap(targets)]) {
    if (!states.has(name)) states.set(name, undeclared(name));
  }
  return [...states.values()];
}

function undeclared(name: string): ChartState {
  return { name, kind: 'waiting', description: 'Not declared.', moves: [] };
}

function joined(first: ChartState, second: ChartState): ChartState {
  return { ...first, moves: [...first.moves, ...second.moves] };
}

function targets(state: ChartState): readonly string[] {
  return state.moves.map((move) => move.to);
}
