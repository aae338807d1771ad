import { createHash } from 'node:crypto';
import type { Event, Json, Session } from '@pawl/core';
import { stateHash, type KeptEvent, type SessionSummary, type Store } from '@pawl/runtime';

/** What an exported session is called in its file, and the number of this form of it. */
export const recordFormat = 'pawl-session';
export const recordVersion = 1;

/** A session out of its store: how it began, and every event since. */
export type SessionRecord = {
  readonly id: string;
  readonly about: Json;
  readonly parent: SessionSummary['parent'];
  readonly created: Session;
  /** From the first on, each time it is asked. */
  readonly events: () => AsyncIterable<KeptEvent>;
  readonly head: number;
  /** Of the session that the events lead to, by whoever wrote the record. */
  readonly stateHash: string;
};

/** What comes after the last event is asked for at once: of a session that goes on, this is how far it was. */
export async function recordOf(store: Store, id: string): Promise<SessionRecord> {
  const { session, head, about, parent } = await store.open(id);
  const { session: created } = await store.open(id, { at: 0 });
  const events = () => upTo(head, store.events(id));
  return { id, about, parent, created, events, head, stateHash: stateHash(session) };
}

async function* upTo(
  head: number,
  events: AsyncIterable<KeptEvent>,
): AsyncGenerator<KeptEvent, void, undefined> {
  for await (const kept of events) {
    if (kept.seq > head) return;
    yield kept;
    // A log that still grows may have another page, which is not asked for.
    if (kept.seq === head) return;
  }
}

/** The hash an event has in a chain: over that of the event before it and its own text. */
export function chained(previous: string, value: Session | Event): string {
  return createHash('sha256').update(previous).update('\n').update(JSON.stringify(value)).digest('hex');
}
