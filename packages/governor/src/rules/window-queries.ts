import type { FileContentChange, CallObservation } from '../observations/call-observation.ts';

/** Returns the longest suffix of the window whose observations all pass the test, oldest first. */
export function takeTailWhile<Observation>(
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

/** Whether an earlier observation in the window matches. */
export function hasEarlierMatch(
  window: readonly CallObservation[],
  index: number,
  isAlike: (earlier: CallObservation) => boolean,
): boolean {
  for (let before = 0; before < index; before += 1) {
    const earlier = window[before];
    if (earlier !== undefined && isAlike(earlier)) return true;
  }
  return false;
}

export function isSameObservation(a: CallObservation, b: CallObservation): boolean {
  return a.call === b.call && a.outcome === b.outcome;
}

/** Whether the observation is new: a success with an unseen outcome, new content for a file, or fewer failures. */
export function isNewOutcome(window: readonly CallObservation[], index: number): boolean {
  const observation = window[index];
  if (observation === undefined) return false;
  if (observation.error !== null) return hasFewerFailures(window, index);
  const { change, outcome } = observation;
  const isChanged =
    change !== null && !hasEarlierMatch(window, index, (earlier) => isSameFileChange(earlier.change, change));
  return isChanged || !hasEarlierMatch(window, index, (earlier) => earlier.outcome === outcome);
}

/** Whether a check found something that no earlier call did. */
export function isNewFinding(window: readonly CallObservation[], index: number): boolean {
  const observation = window[index];
  if (observation?.hasFindings !== true) return false;
  return !hasEarlierMatch(window, index, ({ outcome }) => outcome === observation.outcome);
}

/** Whether a failed call counts fewer failures than every earlier one with the same kind of error, of which there is one. */
export function hasFewerFailures(window: readonly CallObservation[], index: number): boolean {
  const { error, failures } = window[index] ?? {};
  if (error === undefined || failures === undefined) return false;
  const before = window
    .slice(0, index)
    .flatMap((each) => (each.error === error ? (each.failures ?? []) : []));
  return before.length > 0 && before.every((count) => count > failures);
}

function isSameFileChange(a: FileContentChange | null, b: FileContentChange): boolean {
  return a !== null && a.target === b.target && a.to === b.to;
}
