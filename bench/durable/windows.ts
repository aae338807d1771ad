import { median } from '../lib/statistics.ts';

/** Short enough to show where time goes in a session, long enough to be more than one slow write to the disk. */
const windowSteps = 100;

/**
 * Milliseconds a step, for each hundred steps in a row up to the last, from the times at which the steps happened. What
 * is left over goes off the beginning, in which most of the time goes into compiling.
 */
export function windowsOf(ticks: readonly number[]): readonly number[] {
  const windows: number[] = [];
  for (let end = ticks.length - 1; end >= windowSteps; end -= windowSteps) {
    windows.unshift(((ticks[end] ?? Number.NaN) - (ticks[end - windowSteps] ?? Number.NaN)) / windowSteps);
  }
  return windows;
}

/** What a step costs early and late: the median window of the first and of the last tenth. */
export function earlyAndLate(windows: readonly number[]): { readonly early: number; readonly late: number } {
  const count = Math.max(1, Math.floor(windows.length / 10));
  return { early: median(windows.slice(0, count)), late: median(windows.slice(-count)) };
}

/** The slowest hundred steps: what is done only from time to time shows here. */
export function slowest(windows: readonly number[]): number {
  return Math.max(...windows);
}
