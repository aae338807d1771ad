import { replay, unpaused, type Event, type Session } from '@pawl/core';
import type { Position, Store } from './store.ts';

export type ForkOptions = {
  /** The last event that both sessions have; 0 for none. */
  readonly at: number;
  /** The id of the new session. */
  readonly as: string;
  readonly owner: string;
  readonly now: number;
};

/**
 * Makes a session that shares the past of another one up to an event and goes on by itself. The other stays as it is. How a
 * call that was running there ended is not known here, so the model is told that it was interrupted.
 */
export async function fork(store: Store, id: string, options: ForkOptions): Promise<Position> {
  const { as, owner, now } = options;
  const created = await store.open(id, { at: 0 });
  const { session, head, about } = await store.open(id, { at: options.at });
  const copied = await eventsBetween(store, id, created.head, head);
  const interruptions = interruptionsOf(session, now);
  const after = replay({ ...session, id: as }, interruptions);
  const past = { events: [...copied, ...interruptions], after, parent: { id, at: head } };
  return store.create({ ...created.session, id: as }, owner, { about, past, createdAt: now });
}

async function eventsBetween(store: Store, id: string, first: number, last: number): Promise<Event[]> {
  const events: Event[] = [];
  if (first === last) return events;
  for await (const { seq, event } of store.events(id, first)) {
    events.push(event);
    if (seq === last) break;
  }
  return events;
}

function interruptionsOf({ turn }: Session, at: number): readonly Event[] {
  const held = unpaused(turn);
  if (held.status !== 'executingTools') return [];
  const { request, executions } = held;
  const running = executions.filter(({ status }) => status === 'running');
  return running.map(({ call }) => ({ type: 'tool-finished', at, request, callId: call.id, outcome }));
}

const outcome = {
  ok: false,
  error: {
    kind: 'interrupted',
    message:
      'This session was forked from another while this was running there: it may have run fully, partly or not at all. Look before you repeat it.',
  },
} as const;
