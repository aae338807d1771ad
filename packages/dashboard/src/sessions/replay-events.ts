import { step, type Event, type Session, type SessionStep } from '@pawl/core';
import type { Store } from '@pawl/runtime/store';

/** One replayed event, with the session before it and the result of the step. */
export type ReplayedStep = {
  readonly seq: number;
  readonly event: Event;
  readonly before: Session;
  readonly after: SessionStep;
};

/** Replays a log from its first event. */
export async function* replayStoredEvents(
  store: Store,
  id: string,
): AsyncGenerator<ReplayedStep, void, undefined> {
  const { session: created, head } = await store.open(id, { at: 0 });
  let before = created;
  for await (const { seq, event } of store.events(id, head)) {
    const after = step(before, event);
    yield { seq, event, before, after };
    before = after.session;
  }
}
