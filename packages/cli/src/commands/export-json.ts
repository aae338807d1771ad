import { recordFormat, recordVersion, type SessionRecord } from './export-record.ts';

/** The record as one JSON object, an event a line: a long log is never one text in memory. */
export async function* recordJson(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(headOf(record)).slice(0, -1)},"events":[`;
  let separator = '';
  for await (const kept of record.events()) {
    yield separator + JSON.stringify(kept);
    separator = ',';
  }
  yield `],${JSON.stringify(tailOf(record)).slice(1)}`;
}

/** The same as one JSON object a line: how it began, each event, where it ended. */
export async function* recordLines(record: SessionRecord): AsyncGenerator<string, void, undefined> {
  yield JSON.stringify(headOf(record));
  for await (const kept of record.events()) yield JSON.stringify(kept);
  yield JSON.stringify(tailOf(record));
}

function headOf({ id, about, parent, created }: SessionRecord): object {
  return { format: recordFormat, version: recordVersion, id, about, parent, created };
}

function tailOf({ head, stateHash }: SessionRecord): object {
  return { head, stateHash };
}
