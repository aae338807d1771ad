import { step, type Event, type Session, type SessionStep } from '@pawl/core';
import type { Store } from '@pawl/runtime/store';

/** One logged event with the session before and after it. */
export type ReplayedEvent = {
  readonly seq: number;
  readonly event: Event;
  readonly before: Session;
  readonly after: SessionStep;
};

export type SessionReplay = { readonly created: Session; readonly walked: AsyncIterable<ReplayedEvent> };

/** Replays a session's log from the start, one event at a time. */
export async function openSessionReplay(store: Store, id: string, upTo = Infinity): Promise<SessionReplay> {
  const { session: created } = await store.open(id, { at: 0 });
  return { created, walked: replayEvents(created, store.events(id), upTo) };
}

/** Replays events as logged; `step` ignores events that this version no longer accepts. */
export async function* replayEvents(
  created: Session,
  events: AsyncIterable<{ readonly seq: number; readonly event: Event }>,
  upTo = Infinity,
): AsyncGenerator<ReplayedEvent, void, undefined> {
  let before = created;
  for await (const { seq, event } of events) {
    if (seq > upTo) return;
    const after = step(before, event);
    yield { seq, event, before, after };
    before = after.session;
  }
}
