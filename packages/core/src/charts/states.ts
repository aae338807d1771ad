import type { Chart, ChartState } from './chart.ts';

/**
 * Returns the states of a chart without duplicates. Undeclared targets are included, so that a reader sees what is
 * missing and an export has no dangling reference.
 */
export function listChartStates(chart: Chart): readonly ChartState[] {
  const states = new Map<string, ChartState>();
  for (const state of chart.states) {
    const before = states.get(state.name);
    states.set(state.name, before === undefined ? state : mergeChartStates(before, state));
  }
  for (const name of [chart.initial, ...[...states.values()].flatMap(listMoveTargets)]) {
    if (!states.has(name)) states.set(name, createUndeclaredState(name));
  }
  return [...states.values()];
}

function createUndeclaredState(name: string): ChartState {
  return { name, kind: 'waiting', description: 'Not declared.', transitions: [] };
}

function mergeChartStates(first: ChartState, second: ChartState): ChartState {
  return { ...first, transitions: [...first.transitions, ...second.transitions] };
}

function listMoveTargets(state: ChartState): readonly string[] {
  return state.transitions.map((move) => move.to);
}
