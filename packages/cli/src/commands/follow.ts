import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, step, type Session } from '@pawl/core';
import { ownerState, type Seen, type Store } from '@pawl/runtime';

/** How often a store is looked at for what is new. */
const pollMs = 200;

/** Where to begin: at the first event, or with what comes next. */
export type Following = {
  readonly from: 'start' | 'now';
  readonly signal: AbortSignal;
};

/** A session as it was when somebody began to follow it, and what happens in it, whoever makes it happen. */
export async function followSession(
  store: Store,
  id: string,
  { from, signal }: Following,
): Promise<{ readonly session: Session; readonly happenings: AsyncGenerator<Seen, void, undefined> }> {
  const { session, head } = await store.open(id, from === 'start' ? { at: 0 } : {});
  return { session, happenings: happenings(store, { session, head, signal }) };
}

type Place = { readonly session: Session; readonly head: number; readonly signal: AbortSignal };

/** Ends when the session has ended, or waits for somebody and nobody runs it. */
async function* happenings(store: Store, place: Place): AsyncGenerator<Seen, void, undefined> {
  let { session, head } = place;
  const { signal } = place;
  while (!signal.aborted) {
    for await (const { seq, event } of store.events(session.id, head)) {
      const result = step(session, event);
      session = result.session;
      head = seq;
      yield { ...result, event };
      if (signal.aborted) return;
    }
    if (isTerminal(session)) return;
    const now = await store.open(session.id);
    if (now.head === head && ownerState(now.owner) !== 'alive') return;
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}
