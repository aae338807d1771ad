import { step, type Json, type Session } from '@pawl/core';
import type { StoredEntry } from '@pawl/core/memory';
import type { Rule } from '@pawl/governor';
import { type EventLog, createStoreEventLog } from './store-event-log.ts';
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
  /** The rules that the session was replayed with; the agent must apply the same. */
  readonly ownRules?: readonly Rule[];
};

export type SessionClaimOptions = {
  readonly owner: string;
  /** Fails if another process has claimed the session since this fence. */
  readonly from?: number;
  /** The user-defined rules that the session has run with. */
  readonly ownRules?: readonly Rule[] | undefined;
};

/**
 * Claims a session and returns what an agent needs to resume it with `resume`. Previous owners can no longer append.
 */
export async function resumeSession(
  store: Store,
  id: string,
  { owner, from, ownRules = [] }: SessionClaimOptions,
): Promise<ResumedSession> {
  const { fence, session: stored, head, metadata } = await store.claim(id, owner, from);
  const log = createStoreEventLog(store, id, { fence, head });
  if (ownRules.length > 0) {
    return { fence, metadata, log, ownRules, ...(await replayWithRules(store, id, ownRules)) };
  }
  const unsavedEntries = stored.memory === null ? [] : await findLastStoredEntries(store, id, head);
  return { fence, session: stored, metadata, log, unsavedEntries };
}

/** Replays from the first event, because a snapshot may have been computed without the rules. */
async function replayWithRules(
  store: Store,
  id: string,
  ownRules: readonly Rule[],
): Promise<Pick<ResumedSession, 'session' | 'unsavedEntries'>> {
  let { session } = await store.open(id, { at: 0 });
  let unsavedEntries: readonly StoredEntry[] = [];
  for await (const { event } of store.events(id)) {
    const { session: after, actions } = step(session, event, ownRules);
    session = after;
    unsavedEntries = actions.flatMap((action) => (action.type === 'store' ? action.entries : []));
  }
  return { session, unsavedEntries };
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
