import type { Session } from '@pawl/core';
import type { ReplayedStep } from '@pawl/core/projections';
import { replaySteps } from '@pawl/runtime/logs';
import type { Store } from '@pawl/runtime/store';

export type SessionReplay = { readonly created: Session; readonly walked: AsyncIterable<ReplayedStep> };

/** Replays a session's log from the start, one event at a time. */
export async function openSessionReplay(store: Store, id: string, upTo = Infinity): Promise<SessionReplay> {
  const { session: created } = await store.open(id, { at: 0 });
  return { created, walked: replaySteps(created, store.events(id), upTo) };
}
