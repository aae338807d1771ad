import { step, type Event, type Session, type Step } from '@pawl/core';
import type { Store } from '@pawl/runtime';

/** One event of a log, and what it made of the session. */
export type Walked = {
  readonly seq: number;
  readonly event: Event;
  readonly before: Session;
  readonly after: Step;
};

export type Walk = { readonly created: Session; readonly walked: AsyncIterable<Walked> };

/** Steps through the log of a session from the beginning, one event at a time, however long it is. */
export async function walkSession(store: Store, id: string, upTo = Infinity): Promise<Walk> {
  const { session: created } = await store.open(id, { at: 0 });
  return { created, walked: walkEvents(created, store.events(id), upTo) };
}

/** The log itself says what was; what this version would no longer take is passed over by `step`. */
export async function* walkEvents(
  created: Session,
  events: AsyncIterable<{ readonly seq: number; readonly event: Event }>,
  upTo = Infinity,
): AsyncGenerator<Walked, void, undefined> {
  let before = created;
  for await (const { seq, event } of events) {
    if (seq > upTo) return;
    const after = step(before, event);
    yield { seq, event, before, after };
    before = after.session;
  }
}
