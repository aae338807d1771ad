import type { EventLog } from '../event-log.ts';
import type { Position, Store } from './store.ts';

/** The log of one agent, in a store. It goes on from a position; once someone else claims the session, it fails. */
export function eventLogOn(store: Store, id: string, position: Position): EventLog {
  let at = position;
  return {
    async append(event, after) {
      at = await store.append(id, at, [event], after);
    },
  };
}
