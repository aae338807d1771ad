import type { Event, Session } from '@pawl/core';

/**
 * Receives durable events before any of their actions run.
 * Contract: `append` persists all events or none and returns only once they are persisted; if it throws, the session
 * runs no further actions. `after` is the session after these events.
 */
export type EventLog = {
  append(events: readonly Event[], after: Session): void | Promise<void>;
  /**
   * Maximum number of events per append; defaults to 100. With 1, observers see each event before the next is reduced.
   */
  readonly togetherMax?: number;
};

/** Creates a log that lives in memory and ends with the process. */
export function createMemoryLog(): EventLog & { readonly events: readonly Event[] } {
  const events: Event[] = [];
  return {
    events,
    append(added) {
      for (const event of added) events.push(event);
    },
  };
}
