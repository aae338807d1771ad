import { createTracker, type LoopTracker } from '@pawl/governor/tracker';

/** The loop trackers of a client's agents, by name, for the lifetime of the server. */
export type TrackerLookup = (name: string) => LoopTracker<'pawl'>;

/** Maximum number of trackers; the least recently used one is evicted. */
const maxTrackers = 64;

export function createTrackerLookup(now: () => number): TrackerLookup {
  const trackers = new Map<string, LoopTracker<'pawl'>>();
  return (name) => {
    const tracker = trackers.get(name) ?? createTracker({ sessionId: name, preset: 'pawl', now });
    trackers.delete(name);
    trackers.set(name, tracker);
    const [oldest] = trackers.keys();
    if (trackers.size > maxTrackers && oldest !== undefined) trackers.delete(oldest);
    return tracker;
  };
}
