import { appendRecent, computeStateDuration } from '@pawl/governor/session-tracker';
import { clipText, quoteText } from './define-chart.ts';
import { getModeState, type ModeChart } from './mode-chart.ts';

/** A mode change. `from` and `to` are equal if an invalid transition was corrected without leaving the mode. */
export type ModeChange = {
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  /** How long the previous mode lasted. */
  readonly durationMs: number;
};

/** The agent's current position in its chart: plain JSON, bounded, and a function of the events alone. */
export type CurrentMode = {
  readonly chart: string;
  readonly state: string;
  readonly enteredAt: number;
  /** Ticks since the state was entered. */
  readonly steps: number;
  /** Consecutive failures since the state was entered: unparsable replies, refused or failed calls. */
  readonly failures: number;
  /** Total ticks. */
  readonly iterations: number;
  /** The latest mode changes, oldest first. */
  readonly history: readonly ModeChange[];
  /** Why the latest transition or call was refused, as guidance for the model; null after one is accepted. */
  readonly refusal: string | null;
};

const modeHistoryMax = 50;

export function startMode(chart: ModeChart, at: number): CurrentMode {
  return {
    chart: chart.name,
    state: chart.initial,
    enteredAt: Number.isFinite(at) ? at : 0,
    steps: 0,
    failures: 0,
    iterations: 0,
    history: [],
    refusal: null,
  };
}

/** A user message restarts a terminal mode; other modes continue. */
export function restartTerminalMode(mode: CurrentMode, chart: ModeChart, at: number): CurrentMode {
  return getModeState(chart, mode.state)?.terminal === true ? startMode(chart, at) : mode;
}

/**
 * Creates a mode from a persisted state name. If the name is missing, unknown or that of the paging mode, the mode
 * starts in the safe state and `warning` says why.
 */
export function resumeMode(
  chart: ModeChart,
  persistedState: unknown,
  at: number,
): { readonly mode: CurrentMode; readonly warning: string | null } {
  const mode = startMode(chart, at);
  const state = typeof persistedState === 'string' ? getModeState(chart, persistedState) : undefined;
  if (state !== undefined && state.name !== chart.paging?.state)
    return { mode: { ...mode, state: state.name }, warning: null };
  const safe = getSafeState(chart);
  const problem =
    typeof persistedState === 'string'
      ? `${quoteText(persistedState)} is not a state to resume in`
      : 'no state was saved';
  return { mode: { ...mode, state: safe }, warning: `${problem}; reset to ${safe}` };
}

/** Returns the state to use if the current one is unknown. */
export function getSafeState({ initial, onInvalid }: ModeChart): string {
  return typeof onInvalid === 'string' ? initial : onInvalid.resetTo;
}

/** Applies a mode change. A change to the same state does not reset its steps and time. */
export function applyModeChange(mode: CurrentMode, change: ModeChange): CurrentMode {
  const history = appendRecent(mode.history, change, modeHistoryMax);
  if (change.from === change.to) return { ...mode, history };
  return { ...mode, state: change.to, enteredAt: change.at, steps: 0, failures: 0, history };
}

export function createModeChange(
  mode: CurrentMode,
  to: string,
  { cause, at }: { readonly cause: string; readonly at: number },
): ModeChange {
  return { at, from: mode.state, to, cause: clipText(cause), durationMs: computeStateDuration(mode, at) };
}

/** A mode limit that was reached. */
export type ReachedModeLimit = {
  readonly limit: 'failures' | 'steps' | 'time';
  readonly max: number;
  readonly value: number;
  readonly reason: string;
};

/**
 * Returns the first limit of the mode that is reached at a given time, or null. Elapsed time must exceed its limit. A
 * terminal mode is never overdue; its limit applies to the caller that finishes the work.
 */
export function findReachedModeLimit(
  chart: ModeChart,
  mode: CurrentMode,
  at: number,
): ReachedModeLimit | null {
  const state = getModeState(chart, mode.state);
  if (state === undefined || state.terminal) return null;
  const { name, stuckAfterFailures, stuckAfterSteps, timeoutMs } = state;
  if (stuckAfterFailures !== null && mode.failures >= stuckAfterFailures) {
    const reason = `${mode.failures} failures in a row in ${name}`;
    return { limit: 'failures', max: stuckAfterFailures, value: mode.failures, reason };
  }
  if (stuckAfterSteps !== null && mode.steps >= stuckAfterSteps) {
    const reason = `${name} has lasted ${mode.steps} steps`;
    return { limit: 'steps', max: stuckAfterSteps, value: mode.steps, reason };
  }
  const elapsedMs = computeStateDuration(mode, at);
  if (timeoutMs === null || !(elapsedMs > timeoutMs)) return null;
  const reason = `${name} has lasted ${elapsedMs}ms of at most ${timeoutMs}ms`;
  return { limit: 'time', max: timeoutMs, value: elapsedMs, reason };
}

/** Returns the time limit of the mode; null for none. */
export function getModeTimeLimit(chart: ModeChart, mode: CurrentMode): number | null {
  return getModeState(chart, mode.state)?.timeoutMs ?? null;
}

/** How often one mode followed another, how long it took, and how the runs ended. */
export type TransitionStats = {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** Median duration of the mode that was left. */
  readonly medianMs: number;
  /** Share of the runs with this transition that succeeded. */
  readonly endedWell: number;
};

/** The mode changes of one run, and whether it succeeded. */
export type RecordedModeChanges = { readonly moves: readonly ModeChange[]; readonly endedWell: boolean };

/** Computes statistics over all transitions of the runs, most frequent first. */
export function computeTransitionStats(runs: readonly RecordedModeChanges[]): readonly TransitionStats[] {
  const changes = runs.flatMap(({ moves, endedWell }, run) =>
    moves.map((change) => ({ ...change, endedWell, run })),
  );
  return [...Map.groupBy(changes, ({ from, to }) => JSON.stringify([from, to])).values()]
    .map((group) => {
      const { from = '', to = '' } = group[0] ?? {};
      const groupRuns = [...Map.groupBy(group, ({ run }) => run).values()];
      const successes = groupRuns.filter((moves) => moves[0]?.endedWell === true).length;
      const times = group.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
      const medianMs = times[Math.floor(times.length / 2)] ?? 0;
      return { from, to, count: group.length, medianMs, endedWell: successes / groupRuns.length };
    })
    .toSorted((a, b) => b.count - a.count || (a.from + a.to < b.from + b.to ? -1 : 1));
}

/**
 * Returns the transition from a mode with the highest success rate in earlier runs, and among equals the fastest, or
 * null if there is none.
 */
export function findBestTransition(stats: readonly TransitionStats[], from: string): TransitionStats | null {
  const [best] = stats
    .filter((each) => each.from === from && each.to !== from)
    .toSorted((a, b) => b.endedWell - a.endedWell || a.medianMs - b.medianMs);
  return best ?? null;
}
