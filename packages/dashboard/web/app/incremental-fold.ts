import type { ReplayedEntry, ReplayedTimeline } from './replayed-timeline.ts';

/** A reducer over the entries of a timeline. */
export type TimelineFold = { add(entry: ReplayedEntry, index: number): void };

/**
 * Creates a fold that is cached per timeline and updated as it grows: each call processes only new entries, so a view
 * of a long session costs no more than one of a short session.
 */
export function createIncrementalFold<Fold extends TimelineFold>(
  create: (timeline: ReplayedTimeline) => Fold,
): (timeline: ReplayedTimeline) => Fold {
  const cache = new WeakMap<ReplayedTimeline, { readonly fold: Fold; processed: number }>();
  return (timeline) => {
    const cached = cache.get(timeline) ?? { fold: create(timeline), processed: 0 };
    cache.set(timeline, cached);
    for (; cached.processed < timeline.length; cached.processed += 1)
      cached.fold.add(timeline.entry(cached.processed), cached.processed);
    return cached.fold;
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
