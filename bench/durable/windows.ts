import { median } from '../lib/statistics.ts';

/** Short enough to show where time goes in a session, long enough to be more than one slow write to the disk. */
export const windowSteps = 100;

/** Milliseconds a step, for each hundred steps in a row, from the times at which the steps happened. */
export function windowsOf(ticks: readonly number[]): readonly number[] {
  const windows: number[] = [];
  for (let end = windowSteps; end < ticks.length; end += windowSteps) {
    windows.push(((ticks[end] ?? 0) - (ticks[end - windowSteps] ?? 0)) / windowSteps);
  }
  return windows;
}

/**
 * What a step costs early and late: the median window of the first and of the last tenth. The very first window is left
 * out, in which most of the time goes into compiling.
 */
export function earlyAndLate(windows: readonly number[]): { readonly early: number; readonly late: number } {
  const count = Math.max(1, Math.floor(windows.length / 10));
  return { early: median(windows.slice(1, 1 + count)), late: median(windows.slice(-count)) };
}

/** The slowest hundred steps, the first not counted: what is done only from time to time shows here. */
export function slowest(windows: readonly number[]): number {
  return Math.max(...windows.slice(1));
}
