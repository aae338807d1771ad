import { step, type Json, type Session, type StoredEntry } from '@pawl/core';
import type { EventLog } from '../event-log.ts';
import { createStoreEventLog } from './store-event-log.ts';
import type { Store } from './store.ts';

export type ResumedSession = {
  /** The fence of the claim under which the session runs. */
  readonly fence: number;
  readonly session: Session;
  /** The metadata given when the session was created. */
  readonly metadata: Json;
  readonly log: EventLog;
  /** The memory entries that the last event stored; a crash may have prevented the write. */
  readonly unsavedEntries: readonly StoredEntry[];
};

/**
 * Claims a session and returns what an agent needs to resume it with `resume`. Previous owners can no longer append.
 */
export async function resumeSession(
  store: Store,
  id: string,
  { owner, from }: { readonly owner: string; readonly from?: number },
): Promise<ResumedSession> {
  const { fence, session, head, metadata } = await store.claim(id, owner, from);
  const unsavedEntries = session.memory === null ? [] : await findLastStoredEntries(store, id, head);
  return { fence, session, metadata, log: createStoreEventLog(store, id, { fence, head }), unsavedEntries };
}

async function findLastStoredEntries(
  store: Store,
  id: string,
  head: number,
): Promise<readonly StoredEntry[]> {
  for await (const { event } of store.events(id, head - 1)) {
    const before = await store.open(id, { at: head - 1 });
    const { actions } = step(before.session, event);
    return actions.flatMap((action) => (action.type === 'store' ? action.entries : []));
  }
  return [];
}
