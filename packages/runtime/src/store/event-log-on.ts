import type { Event, Session } from '@pawl/core';
import type { EventLog } from '../event-log.ts';
import { stateHash } from './state-hash.ts';
import type { Position, Store } from './store.ts';
import { StoreError, type StoreErrorCode } from './store-error.ts';

/** The log of one agent, in a store. It goes on from a position; once someone else claims the session, it fails. */
export function eventLogOn(store: Store, id: string, position: Position): EventLog {
  let at = position;
  return {
    async append(events, after) {
      try {
        at = await store.append(id, at, events, after);
      } catch (error) {
        if (isAnswer(error)) throw error;
        at = await appendedAfterAll(store, id, { at, events, after });
      }
    },
  };
}

/** These say that nothing was kept. After anything else nobody knows. */
const answers: ReadonlySet<StoreErrorCode> = new Set([
  'busy',
  'conflict',
  'damaged',
  'full',
  'held',
  'invalid',
  'missing',
  'newer',
]);

function isAnswer(error: unknown): boolean {
  return error instanceof StoreError && answers.has(error.code);
}

type Append = { readonly at: Position; readonly events: readonly Event[]; readonly after: Session };

/** Looks whether the events were kept, and if they were not, tries once more; a second failure is the end. */
async function appendedAfterAll(store: Store, id: string, { at, events, after }: Append): Promise<Position> {
  const found = await store.open(id);
  const head = at.head + events.length;
  const isKept =
    found.fence === at.fence && found.head === head && stateHash(found.session) === stateHash(after);
  if (isKept) return { fence: found.fence, head: found.head };
  // If somebody else has moved it, this says so.
  return store.append(id, at, events, after);
}
