import { step, type Session } from '@pawl/core';
import { stateHash, type Store } from '@pawl/runtime';
import type { SessionRecord } from './export-record.ts';

/** What stepping through a log came to. `fault` is the first event that did not go as it did when it was kept. */
export type Replayed = {
  readonly end: Session;
  readonly events: number;
  readonly fault: Fault | null;
};

export type Fault = { readonly seq: number; readonly reason: string };

/** Steps through a record from the session as created. */
export async function replayRecord(
  { created, events }: Pick<SessionRecord, 'created' | 'events'>,
  onEvent: (seq: number) => void = () => undefined,
  upTo = Infinity,
): Promise<Replayed> {
  let end = created;
  let count = 0;
  for await (const { seq, event } of events()) {
    if (seq > upTo) break;
    const after = stepped(end, event);
    if (after === null) return { end, events: count, fault: { seq, reason: 'it cannot be replayed' } };
    // Whatever is in a log was taken when it was kept.
    if (after.seq !== seq) return { end, events: count, fault: { seq, reason: 'it is not taken any more' } };
    end = after;
    count += 1;
    onEvent(seq);
  }
  return { end, events: count, fault: null };
}

/** An event that somebody forged may lack what its type promises. */
function stepped(session: Session, event: Parameters<typeof step>[1]): Session | null {
  try {
    return step(session, event).session;
  } catch {
    return null;
  }
}

/**
 * The first event after which the store opens another session than a replay gives. The two agree up to there and nowhere
 * after, since each goes on from what it had: so the middle tells in which half to look.
 */
export async function firstDifference(store: Store, record: SessionRecord): Promise<number> {
  let same = record.created.seq;
  let other = record.head;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    const { end } = await replayRecord(record, () => undefined, middle);
    const { session } = await store.open(record.id, { at: middle });
    if (stateHash(end) === stateHash(session)) same = middle;
    else other = middle;
  }
  return other;
}
