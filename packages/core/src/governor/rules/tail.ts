import type { Observation } from '../observation.ts';

/** The longest run of observations at the end of the window that all pass the test, oldest first. */
export function tailWhile(
  window: readonly Observation[],
  passes: (observation: Observation, index: number) => boolean,
): readonly Observation[] {
  let start = window.length;
  while (start > 0) {
    const observation = window[start - 1];
    if (observation === undefined || !passes(observation, start - 1)) break;
    start -= 1;
  }
  return window.slice(start);
}

/** Whether an earlier observation is like the one at this place. */
export function cameBefore(
  window: readonly Observation[],
  index: number,
  isAlike: (earlier: Observation) => boolean,
): boolean {
  for (let before = 0; before < index; before += 1) {
    const earlier = window[before];
    if (earlier !== undefined && isAlike(earlier)) return true;
  }
  return false;
}

export function isSame(a: Observation, b: Observation): boolean {
  return a.call === b.call && a.outcome === b.outcome;
}
