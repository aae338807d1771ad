import type { Event, Session } from '@pawl/core';

/**
 * Where durable events go before anything is done about them.
 * Contract: `append` returns only when the event is kept; when it throws, nothing further is done for the session.
 */
export type EventLog = {
  append(event: Event, after: Session): void | Promise<void>;
};

/** Keeps the events in memory, for as long as the process lives. */
export function createMemoryLog(): EventLog & { readonly events: readonly Event[] } {
  const events: Event[] = [];
  return {
    events,
    append(event) {
      events.push(event);
    },
  };
}
