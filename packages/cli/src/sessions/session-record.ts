import type { Json, Session } from '@pawl/core';
import { computeLinkHash, exportFormat, exportVersion } from '@pawl/runtime/logs';
import { computeStateHash, type StoredEvent, type SessionSummary, type Store } from '@pawl/runtime/store';

/** A session read from its store: its initial state and all its events. */
export type SessionRecord = {
  readonly id: string;
  readonly about: Json;
  readonly parent: SessionSummary['parent'];
  readonly created: Session;
  /** Iterates from the first event on each call. */
  readonly events: () => AsyncIterable<StoredEvent>;
  readonly head: number;
  /** Hash of the final session state, computed by the writer of the record; null if an older release wrote it. */
  readonly stateHash: string | null;
};

/** Loads a record up to the current head; events appended later are not part of it. */
export async function loadSessionRecord(store: Store, id: string): Promise<SessionRecord> {
  const { session, head, metadata, parent } = await store.open(id);
  const { session: created } = await store.open(id, { at: 0 });
  const events = () => takeUntilHead(head, store.events(id));
  return { id, about: metadata, parent, created, events, head, stateHash: computeStateHash(session) };
}

async function* takeUntilHead(
  head: number,
  events: AsyncIterable<StoredEvent>,
): AsyncGenerator<StoredEvent, void, undefined> {
  for await (const stored of events) {
    if (stored.seq > head) return;
    yield stored;
    // Stop here: a growing log may have another page.
    if (stored.seq === head) return;
  }
}

/** Streams the record as one JSON object, one event per line, so that a long log is never one string in memory. */
export async function* streamRecordJson(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(toRecordHead(record)).slice(0, -1)},"events":[`;
  let separator = '';
  for await (const stored of addEventHashes(record)) {
    yield separator + JSON.stringify(stored);
    separator = ',';
  }
  yield `],${JSON.stringify(toRecordTail(record)).slice(1)}`;
}

/** Streams the record as JSON lines: the head, each event, and the end. */
export async function* streamRecordLines(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify(toRecordHead(record));
  for await (const stored of addEventHashes(record)) yield JSON.stringify(stored);
  yield JSON.stringify(toRecordTail(record));
}

/** The hashes of a file are of the text in the file; a store may hold the same event with the names of an older release. */
async function* addEventHashes({
  created,
  events,
}: SessionRecord): AsyncGenerator<StoredEvent, void, undefined> {
  let hash = computeLinkHash('', JSON.stringify(created));
  for await (const { seq, event } of events()) {
    hash = computeLinkHash(hash, JSON.stringify(event));
    yield { seq, event, hash };
  }
}

function toRecordHead({ id, about, parent, created }: SessionRecord): object {
  return { format: exportFormat, version: exportVersion, id, about, parent, created };
}

function toRecordTail({ head, stateHash }: SessionRecord): object {
  return { head, stateHash };
}
