import { recordFormat, recordVersion, type SessionRecord } from './export-record.ts';

/** Streams the record as one JSON object, one event per line, so that a long log is never one string in memory. */
export async function* streamRecordJson(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(toRecordHead(record)).slice(0, -1)},"events":[`;
  let separator = '';
  for await (const stored of record.events()) {
    yield separator + JSON.stringify(stored);
    separator = ',';
  }
  yield `],${JSON.stringify(toRecordTail(record)).slice(1)}`;
}

/** Streams the record as JSON lines: the head, each event, and the end. */
export async function* streamRecordLines(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify(toRecordHead(record));
  for await (const stored of record.events()) yield JSON.stringify(stored);
  yield JSON.stringify(toRecordTail(record));
}

function toRecordHead({ id, about, parent, created }: SessionRecord): object {
  return { format: recordFormat, version: recordVersion, id, about, parent, created };
}

function toRecordTail({ head, stateHash }: SessionRecord): object {
  return { head, stateHash };
}
