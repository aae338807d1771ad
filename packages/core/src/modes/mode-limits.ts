import { computeStateDuration } from '@pawl/governor';
import type { CurrentMode } from './mode.ts';
import { getModeState, type ModeChart } from './mode-chart.ts';

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
