import { createTracker, type LoopTracker } from '@pawl/core';

/** The loop trackers of a client's agents, by name, for the lifetime of the server. */
export type TrackerLookup = (name: string) => LoopTracker<'pawl'>;

/** Maximum number of trackers; the least recently used one is evicted. */
const maxTrackers = 64;

export function createTrackerLookup(now: () => number): TrackerLookup {
  const all = new Map<string, LoopTracker<'pawl'>>();
  return (name) => {
    const tracker = all.get(name) ?? createTracker({ sessionId: name, preset: 'pawl', now });
    all.delete(name);
    all.set(name, tracker);
    const [oldest] = all.keys();
    if (all.size > maxTrackers && oldest !== undefined) all.delete(oldest);
    return tracker;
  };
}
