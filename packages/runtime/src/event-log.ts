import type { Event, Session } from '@pawl/core';

/**
 * Where durable events go before anything is done about them.
 * Contract: `append` keeps all the events or none, and returns only when they are kept; when it throws, nothing further is
 * done for the session. `after` is what they lead to.
 */
export type EventLog = {
  append(events: readonly Event[], after: Session): void | Promise<void>;
  /** How many events may be kept together, 100 unless it says otherwise. With 1 each is seen before the next is taken. */
  readonly togetherMax?: number;
};

/** Keeps the events in memory, for as long as the process lives. */
export function createMemoryLog(): EventLog & { readonly events: readonly Event[] } {
  const events: Event[] = [];
  return {
    events,
    append(more) {
      for (const event of more) events.push(event);
    },
  };
}
