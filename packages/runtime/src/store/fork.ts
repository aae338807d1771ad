import { replay, getUnpausedTurn, type Event, type Session } from '@pawl/core';
import type { LogPosition, Store } from './store.ts';

export type ForkOptions = {
  /** The last event that both sessions share; 0 for none. */
  readonly at: number;
  /** The id of the new session. */
  readonly newId: string;
  readonly owner: string;
  readonly now: number;
};

/**
 * Creates a session that shares another session's history up to an event. The original is unchanged. Calls that were
 * running at that event get an "interrupted" result, because their outcome is unknown in the fork.
 */
export async function forkStoredSession(
  store: Store,
  id: string,
  options: ForkOptions,
): Promise<LogPosition> {
  const { newId, owner, now } = options;
  const created = await store.open(id, { at: 0 });
  const { session, head, metadata } = await store.open(id, { at: options.at });
  const copied = await readEventRange(store, id, created.head, head);
  const interruptions = createInterruptions(session, now);
  const after = replay({ ...session, id: newId }, interruptions);
  const past = { events: [...copied, ...interruptions], after, parent: { id, at: head } };
  return store.create({ ...created.session, id: newId }, owner, { metadata, past, createdAt: now });
}

async function readEventRange(store: Store, id: string, first: number, last: number): Promise<Event[]> {
  const events: Event[] = [];
  if (first === last) return events;
  for await (const { seq, event } of store.events(id, first)) {
    events.push(event);
    if (seq === last) break;
  }
  return events;
}

function createInterruptions({ turn }: Session, at: number): readonly Event[] {
  const active = getUnpausedTurn(turn);
  if (active.status !== 'executingTools') return [];
  const { request, executions } = active;
  const running = executions.filter(({ status }) => status === 'running');
  return running.map(({ call }) => ({
    type: 'tool-finished',
    at,
    request,
    callId: call.id,
    outcome: forkInterruption,
  }));
}

const forkInterruption = {
  ok: false,
  error: {
    kind: 'interrupted',
    message:
      'This session was forked while this call was running in the original session. It may have completed, partially completed or not run. Check its effects before you repeat it.',
  },
} as const;
