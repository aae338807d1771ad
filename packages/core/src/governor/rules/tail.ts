import type { Change } from '../change.ts';
import type { Observation } from '../observation.ts';

/** The longest run of sightings at the end of the window that all pass the test, oldest first. */
export function tailWhile<Sighting>(
  window: readonly Sighting[],
  passes: (sighting: Sighting, index: number) => boolean,
): readonly Sighting[] {
  let start = window.length;
  while (start > 0) {
    const sighting = window[start - 1];
    if (sighting === undefined || !passes(sighting, start - 1)) break;
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

/** Whether the observation at this place brought something new: a success unlike any before it, or new content for a file. */
export function isNews(window: readonly Observation[], index: number): boolean {
  const observation = window[index];
  if (observation === undefined || observation.error !== null) return false;
  const { change, outcome } = observation;
  const isChanged =
    change !== null && !cameBefore(window, index, (earlier) => isSameChange(earlier.change, change));
  return isChanged || !cameBefore(window, index, (earlier) => earlier.outcome === outcome);
}

function isSameChange(a: Change | null, b: Change): boolean {
  return a !== null && a.target === b.target && a.to === b.to;
}
