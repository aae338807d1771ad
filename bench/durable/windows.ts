import { computeMedian } from '../lib/statistics.ts';

/** Short enough to show trends within a session, long enough to average out a single slow disk write. */
const windowSteps = 100;

/**
 * Computes milliseconds per step for each window of a hundred steps, aligned to the last step. The remainder is cut
 * from the start, where JIT compilation dominates.
 */
export function computeStepWindows(ticks: readonly number[]): readonly number[] {
  const windows: number[] = [];
  for (let end = ticks.length - 1; end >= windowSteps; end -= windowSteps) {
    windows.unshift(((ticks[end] ?? Number.NaN) - (ticks[end - windowSteps] ?? Number.NaN)) / windowSteps);
  }
  return windows;
}

/** Cost of a step early and late in the session: the median window of the first and last tenth. */
export function computeEarlyLate(windows: readonly number[]): {
  readonly early: number;
  readonly late: number;
} {
  const count = Math.max(1, Math.floor(windows.length / 10));
  return { early: computeMedian(windows.slice(0, count)), late: computeMedian(windows.slice(-count)) };
}

/** The slowest hundred steps, which reveal periodic work. */
export function findSlowestWindow(windows: readonly number[]): number {
  return Math.max(...windows);
}
