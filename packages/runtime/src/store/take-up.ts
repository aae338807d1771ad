import { step, type Json, type Session, type StoredEntry } from '@pawl/core';
import type { EventLog } from '../event-log.ts';
import { eventLogOn } from './event-log-on.ts';
import type { Store } from './store.ts';

export type TakenUp = {
  /** The number of the claim under which it is run. */
  readonly fence: number;
  readonly session: Session;
  /** What whoever created it has said about it. */
  readonly about: Json;
  readonly log: EventLog;
  /** What the last event put into storage: it may not have got there. */
  readonly unstored: readonly StoredEntry[];
};

/** Claims a session and gives what an agent needs to go on with it, by `resume`. Whoever had it before is kept out. */
export async function takeUp(
  store: Store,
  id: string,
  { owner, from }: { readonly owner: string; readonly from?: number },
): Promise<TakenUp> {
  const { fence, session, head, about } = await store.claim(id, owner, from);
  const unstored = session.memory === null ? [] : await lastStored(store, id, head);
  return { fence, session, about, log: eventLogOn(store, id, { fence, head }), unstored };
}

async function lastStored(store: Store, id: string, head: number): Promise<readonly StoredEntry[]> {
  for await (const { event } of store.events(id, head - 1)) {
    const before = await store.open(id, { at: head - 1 });
    const { actions } = step(before.session, event);
    return actions.flatMap((action) => (action.type === 'store' ? action.entries : []));
  }
  return [];
}
