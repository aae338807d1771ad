/** A state chart as data, for drawing, for export and for checking the machine in tests. */
export type Chart = {
  readonly name: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
};

export type ChartState = {
  readonly name: string;
  readonly description: string;
  /** `waiting`: until an event arrives · `passing`: transient · `terminal`: final. */
  readonly kind: 'waiting' | 'passing' | 'terminal';
  /** In order: among the moves on one event, the first whose condition holds applies. */
  readonly transitions: readonly ChartMove[];
};

export type ChartMove = {
  /** The event that triggers the move; null in a transient state. */
  readonly on: string | null;
  /** The condition of the move; null for none. */
  readonly guard: string | null;
  readonly to: string;
  /** Types of the actions the move returns. */
  readonly actions: readonly string[];
};

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
