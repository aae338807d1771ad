import { StoreError, type EventRow, type SessionRow, type SnapshotRow } from '@pawl/runtime';
import { named } from '../named.ts';

/** What was read of one session. The row is of one moment; events that are kept never change, so they may be read later. */
export type Sight = {
  readonly row: SessionRow;
  /** The number of the last change, whatever it was. */
  readonly rev: string;
  /** Made up by whoever made that change: so one who got no answer can tell whether it was theirs. */
  readonly token: string;
  /** The claim it was created under: another session of the same id has another. */
  readonly born: string;
  readonly initial: string;
  /** An event with a number above that of the last one. */
  readonly stray: EventRow | null;
  readonly snapshot: SnapshotRow | undefined;
  /** How far it is known to have come, by somebody who found it shorter. */
  readonly acknowledged: Acknowledged | null;
  /** The time under which this process has put it into the list of sessions; null if it has not. */
  readonly placedAt: number | null;
  readonly events: Map<number, EventRow>;
  /** Which of the events were read: those that are not among them are not there. */
  readonly ranges: { readonly from: number; readonly to: number }[];
};

/** A place in the log that Redis has said is kept. */
export type Acknowledged = { readonly born: string; readonly head: number; readonly hash: string };

/** An entry of a stream, as Redis tells it. */
export type Entry = readonly [id: string, fields: readonly string[]];

/** What the script for reading gives. */
export type Told = readonly [
  fields: readonly string[],
  stray: readonly Entry[],
  asked: readonly Entry[],
  snapshot: string | null,
  events: readonly Entry[],
];

export function toSight(id: string, [list, strays, , snapshot, entries]: Told, limit: number): Sight {
  const fields = fieldsOf(list);
  const row = toRow(id, fields);
  const read = entries.map(toEvent);
  const from = Number(fields.get('from'));
  const to = read.length < limit ? row.head : (read.at(-1)?.seq ?? row.head);
  return {
    row,
    rev: fields.get('rev') ?? '',
    token: fields.get('token') ?? '',
    born: fields.get('born') ?? '',
    initial: fields.get('initial') ?? '',
    stray: strays.map(toEvent)[0] ?? null,
    snapshot: (readJson(snapshot) as SnapshotRow | null) ?? undefined,
    acknowledged: readJson(fields.get('acknowledged') ?? null) as Acknowledged | null,
    placedAt: null,
    events: new Map(read.map((event) => [event.seq, event])),
    ranges: limit === 0 ? [] : [{ from, to }],
  };
}

function fieldsOf(list: readonly string[]): ReadonlyMap<string, string> {
  const pairs = list.flatMap((name, index) =>
    index % 2 === 0 ? [[name, list[index + 1] ?? ''] as const] : [],
  );
  return new Map(pairs);
}

export function toEvent([id, fields]: Entry): EventRow {
  const kept = fieldsOf(fields);
  return { seq: Number.parseInt(id, 10), hash: kept.get('hash') ?? '', text: kept.get('text') ?? '' };
}

/** What is in the hash besides what the row as JSON says. */
export function toRow(id: string, fields: ReadonlyMap<string, string>): SessionRow {
  const row = readJson(fields.get('row') ?? null) as SessionRow | null;
  if (typeof row?.summary !== 'object') {
    throw new StoreError('unreadable', named(id), 'what Redis has of it is no session');
  }
  const [fence, head] = [Number(fields.get('fence')), Number(fields.get('head'))];
  return { ...row, id, fence, head, about: fields.get('about') ?? null };
}

/** By whom it was written is looked at by its checksum; what cannot be read at all counts as not there. */
function readJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
