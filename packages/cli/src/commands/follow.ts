import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminalSession, step, type Session } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { getOwnerState, type Store } from '@pawl/runtime/store';

/** Poll interval for new events in the store. */
const followPollMs = 200;

/** `from` selects all events or only new ones. */
export type FollowOptions = {
  readonly from: 'start' | 'now';
  readonly signal: AbortSignal;
};

/** Returns a session's current or initial state and a stream of its step results, whichever process produces them. */
export async function followSession(
  store: Store,
  id: string,
  { from, signal }: FollowOptions,
): Promise<{ readonly session: Session; readonly happenings: AsyncGenerator<StepResult, void, undefined> }> {
  const { session, head } = await store.open(id, from === 'start' ? { at: 0 } : {});
  return { session, happenings: streamStepResults(store, { session, head, signal }) };
}

type FollowContext = { readonly session: Session; readonly head: number; readonly signal: AbortSignal };

/** Ends when the session is closed, or when its log has no new events and its owner is not alive. */
async function* streamStepResults(
  store: Store,
  context: FollowContext,
): AsyncGenerator<StepResult, void, undefined> {
  let { session, head } = context;
  const { signal } = context;
  while (!signal.aborted) {
    for await (const { seq, event } of store.events(session.id, head)) {
      const result = step(session, event);
      session = result.session;
      head = seq;
      yield { ...result, event };
      if (signal.aborted) return;
    }
    if (isTerminalSession(session)) return;
    const current = await store.open(session.id);
    if (current.head === head && getOwnerState(current.owner) !== 'alive') return;
    await sleep(followPollMs, undefined, { signal }).catch(() => undefined);
  }
}
