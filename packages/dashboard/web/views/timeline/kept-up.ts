import type { Entry, Track } from '../../app/track.ts';

/** Something that is worked out from the entries of a track, one after the other. */
export type Fold = { take(entry: Entry, index: number): void };

/**
 * Works a fold out once for each track and keeps it up as the track grows: whoever asks again pays only for what is new,
 * so that a view of a long session costs as much as one of a short one.
 */
export function keptUp<Kept extends Fold>(make: (track: Track) => Kept): (track: Track) => Kept {
  const known = new WeakMap<Track, { readonly fold: Kept; taken: number }>();
  return (track) => {
    const kept = known.get(track) ?? { fold: make(track), taken: 0 };
    known.set(track, kept);
    for (; kept.taken < track.length; kept.taken += 1) kept.fold.take(track.entry(kept.taken), kept.taken);
    return kept.fold;
  };
}

/** How many of a list that is in order of `seq` are at or before an event. */
export function countUpTo(list: readonly { readonly seq: number }[], at: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.seq ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
