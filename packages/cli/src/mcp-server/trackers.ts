import { createTracker, type Tracker } from '@pawl/core';

/** The trackers of the agents that a client speaks for, by name, for as long as the server runs. */
export type Trackers = (name: string) => Tracker<'pawl'>;

/** How many there are at once; the one that was not heard of for longest makes room. */
const trackersMax = 64;

export function createTrackers(now: () => number): Trackers {
  const all = new Map<string, Tracker<'pawl'>>();
  return (name) => {
    const tracker = all.get(name) ?? createTracker({ sessionId: name, preset: 'pawl', now });
    all.delete(name);
    all.set(name, tracker);
    const [oldest] = all.keys();
    if (all.size > trackersMax && oldest !== undefined) all.delete(oldest);
    return tracker;
  };
}
