import { type Event, type Session, toDurableSession } from '@pawl/core';
import { createHash } from 'node:crypto';
import { StoreError, type StoreErrorCode } from './store-error.ts';
import type { LogPosition, Store } from './store.ts';

/** An agent's event log in a store. It appends from a position and fails once another owner claims the session. */
export function createStoreEventLog(store: Store, id: string, position: LogPosition): EventLog {
  let at = position;
  return {
    async append(events, after) {
      try {
        at = await store.append(id, at, events, after);
      } catch (error) {
        if (isDefiniteError(error)) throw error;
        at = await retryUncertainAppend(store, id, { at, events, after });
      }
    },
  };
}

/** These codes mean that nothing was stored. After any other error the result is unknown. */
const definiteErrorCodes: ReadonlySet<StoreErrorCode> = new Set([
  'busy',
  'conflict',
  'damaged',
  'full',
  'held',
  'invalid',
  'missing',
  'newer',
]);

function isDefiniteError(error: unknown): boolean {
  return error instanceof StoreError && definiteErrorCodes.has(error.code);
}

type AppendAttempt = { readonly at: LogPosition; readonly events: readonly Event[]; readonly after: Session };

/** Checks whether the events were stored and, if not, retries once; a second failure is final. */
async function retryUncertainAppend(
  store: Store,
  id: string,
  { at, events, after }: AppendAttempt,
): Promise<LogPosition> {
  const current = await store.open(id);
  const head = at.head + events.length;
  const isStored =
    current.fence === at.fence &&
    current.head === head &&
    computeStateHash(current.session) === computeStateHash(after);
  if (isStored) return { fence: current.fence, head: current.head };
  // If another owner has moved the session, this append reports it.
  return store.append(id, at, events, after);
}

/**
 * A SHA-256 hash of a session's durable state, over JSON with sorted object keys. The same events give the same hash,
 * wherever they are replayed.
 */
export function computeStateHash(session: Session): string {
  const text = JSON.stringify(toDurableSession(session), sortObjectKeys);
  return createHash('sha256').update(text).digest('hex');
}

function sortObjectKeys(_: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

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
