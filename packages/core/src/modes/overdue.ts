import { durationMs } from '../trackers/machine.ts';
import type { Mode } from './mode.ts';
import { stateNamed, type ModeChart } from './mode-chart.ts';

/** A limit of the mode that was reached. */
export type Overdue = {
  readonly limit: 'failures' | 'steps' | 'time';
  readonly max: number;
  readonly value: number;
  readonly reason: string;
};

/**
 * The first limit of the mode that is reached at a time, or null. Time has to be more than the limit; the end is never
 * overdue, its limit is for whoever brings the work to its end.
 */
export function overdue(chart: ModeChart, mode: Mode, at: number): Overdue | null {
  const here = stateNamed(chart, mode.state);
  if (here === undefined || here.terminal) return null;
  const { name, stuckAfterFailures, stuckAfterSteps, timeoutMs } = here;
  if (stuckAfterFailures !== null && mode.failures >= stuckAfterFailures) {
    const reason = `${mode.failures} failures in a row in ${name}`;
    return { limit: 'failures', max: stuckAfterFailures, value: mode.failures, reason };
  }
  if (stuckAfterSteps !== null && mode.steps >= stuckAfterSteps) {
    const reason = `${name} has lasted ${mode.steps} steps`;
    return { limit: 'steps', max: stuckAfterSteps, value: mode.steps, reason };
  }
  const tookMs = durationMs(mode, at);
  if (timeoutMs === null || !(tookMs > timeoutMs)) return null;
  const reason = `${name} has lasted ${tookMs}ms of at most ${timeoutMs}ms`;
  return { limit: 'time', max: timeoutMs, value: tookMs, reason };
}

/** How long the mode may last; null for as long as it takes. */
export function timeLimitMs(chart: ModeChart, mode: Mode): number | null {
  return stateNamed(chart, mode.state)?.timeoutMs ?? null;
}
