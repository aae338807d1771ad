import { step, type Event, type Session, type Step } from '@pawl/core';
import type { Store } from '@pawl/runtime';

/** One event of a session, with the session before it and all that came of it. */
export type Walked = {
  readonly seq: number;
  readonly event: Event;
  readonly before: Session;
  readonly after: Step;
};

/** Steps through a log from the first event on. */
export async function* walk(store: Store, id: string): AsyncGenerator<Walked, void, undefined> {
  const { session: created, head } = await store.open(id, { at: 0 });
  let before = created;
  for await (const { seq, event } of store.events(id, head)) {
    const after = step(before, event);
    yield { seq, event, before, after };
    before = after.session;
  }
}
