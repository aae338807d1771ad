import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';

/** A reducer over the entries of a timeline. */
export type TimelineFold = { take(entry: ReplayedEntry, index: number): void };

/**
 * Creates a fold that is cached per timeline and updated as it grows: each call processes only new entries, so a view
 * of a long session costs no more than one of a short session.
 */
export function createIncrementalFold<Kept extends TimelineFold>(
  make: (track: ReplayedTimeline) => Kept,
): (track: ReplayedTimeline) => Kept {
  const known = new WeakMap<ReplayedTimeline, { readonly fold: Kept; taken: number }>();
  return (track) => {
    const kept = known.get(track) ?? { fold: make(track), taken: 0 };
    known.set(track, kept);
    for (; kept.taken < track.length; kept.taken += 1) kept.fold.take(track.entry(kept.taken), kept.taken);
    return kept.fold;
  };
}

/** Counts the items at or before an event in a list sorted by `seq`. */
export function countUntilEvent(list: readonly { readonly seq: number }[], at: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.seq ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
