import { step, type Session } from '@pawl/core';
import { computeStateHash, type Store } from '@pawl/runtime/store';
import type { SessionRecord } from '../../sessions/session-record.ts';

/** The result of replaying a log. `fault` is the first event that does not replay as it was recorded. */
export type ReplayedRecord = {
  readonly end: Session;
  readonly events: number;
  readonly fault: ReplayFault | null;
};

export type ReplayFault = { readonly seq: number; readonly reason: string };

/** Replays a record from the initial session. */
export async function replaySessionRecord(
  { created, events }: Pick<SessionRecord, 'created' | 'events'>,
  onEvent: (seq: number) => void = () => undefined,
  upTo = Infinity,
): Promise<ReplayedRecord> {
  let end = created;
  let count = 0;
  for await (const { seq, event } of events()) {
    if (seq > upTo) break;
    const after = tryStep(end, event);
    if (after === null) return { end, events: count, fault: { seq, reason: 'it cannot be replayed' } };
    // Every logged event was accepted when it was recorded.
    if (after.seq !== seq) return { end, events: count, fault: { seq, reason: 'it is no longer accepted' } };
    end = after;
    count += 1;
    onEvent(seq);
  }
  return { end, events: count, fault: null };
}

/** A forged event may lack fields that its type requires. */
function tryStep(session: Session, event: Parameters<typeof step>[1]): Session | null {
  try {
    return step(session, event).session;
  } catch {
    return null;
  }
}

/**
 * Finds the first event after which the store's session differs from the replayed one. Once they diverge they stay
 * different, because each state derives from the one before, so a binary search finds the event.
 */
export async function findFirstDivergentEvent(store: Store, record: SessionRecord): Promise<number> {
  let same = record.created.seq;
  let other = record.head;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    const { end } = await replaySessionRecord(record, () => undefined, middle);
    const { session } = await store.open(record.id, { at: middle });
    if (computeStateHash(end) === computeStateHash(session)) same = middle;
    else other = middle;
  }
  return other;
}
