import {
  formatSessionLabel,
  StoreError,
  type EventRow,
  type SessionRow,
  type SnapshotRow,
  type SessionSummary,
} from '@pawl/runtime/store';
import { buildSessionKeys } from './keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';

/** The loaded data of one session. The row is a consistent read; events are immutable, so they can be loaded later. */
export type LoadedSession = {
  readonly row: SessionRow;
  /** The revision, which every change increments. */
  readonly rev: string;
  /**
   * A random id chosen by the writer of the last change, so that a writer without a reply can tell whether its write
   * succeeded.
   */
  readonly token: string;
  /** The fence under which it was created; it differs for another session with the same id. */
  readonly createdFence: string;
  readonly initial: string;
  /** An event stored beyond the session's head. */
  readonly eventAfterHead: EventRow | null;
  readonly snapshot: SnapshotRow | undefined;
  /** The acknowledged head recorded by a process that found the log shorter. */
  readonly acknowledged: AcknowledgedHead | null;
  /** The score with which this process last put it into the session list; null if it has not. */
  readonly placedAt: number | null;
  readonly events: Map<number, EventRow>;
  /** The event ranges that were loaded; an event missing from them does not exist. */
  readonly ranges: { readonly from: number; readonly to: number }[];
};

/** A log position that Redis has acknowledged as stored. */
export type AcknowledgedHead = { readonly born: string; readonly head: number; readonly hash: string };

/** A stream entry as returned by Redis. */
export type StreamEntry = readonly [id: string, fields: readonly string[]];

/** The reply of the read script. */
export type ReadReply = readonly [
  fields: readonly string[],
  stray: readonly StreamEntry[],
  asked: readonly StreamEntry[],
  snapshot: string | null,
  events: readonly StreamEntry[],
];

export function toLoadedSession(
  id: string,
  [list, entriesAfterHead, , snapshot, entries]: ReadReply,
  limit: number,
): LoadedSession {
  const fields = toRedisFieldMap(list);
  const row = parseSessionRow(id, fields);
  const read = entries.map(parseEventRow);
  const from = Number(fields.get('from'));
  const to = read.length < limit ? row.head : (read.at(-1)?.seq ?? row.head);
  return {
    row,
    rev: fields.get('rev') ?? '',
    token: fields.get('token') ?? '',
    createdFence: fields.get('born') ?? '',
    initial: fields.get('initial') ?? '',
    eventAfterHead: entriesAfterHead.map(parseEventRow)[0] ?? null,
    snapshot: (parseJsonOrNull(snapshot) as SnapshotRow | null) ?? undefined,
    acknowledged: parseJsonOrNull(fields.get('acknowledged') ?? null) as AcknowledgedHead | null,
    placedAt: null,
    events: new Map(read.map((event) => [event.seq, event])),
    ranges: limit === 0 ? [] : [{ from, to }],
  };
}

function toRedisFieldMap(list: readonly string[]): ReadonlyMap<string, string> {
  const pairs = list.flatMap((name, index) =>
    index % 2 === 0 ? [[name, list[index + 1] ?? ''] as const] : [],
  );
  return new Map(pairs);
}

export function parseEventRow([id, fields]: StreamEntry): EventRow {
  const values = toRedisFieldMap(fields);
  return { seq: Number.parseInt(id, 10), hash: values.get('hash') ?? '', text: values.get('text') ?? '' };
}

/** Builds the row from its JSON and the separate fields of the hash. */
export function parseSessionRow(id: string, fields: ReadonlyMap<string, string>): SessionRow {
  const row = parseJsonOrNull(fields.get('row') ?? null) as SessionRow | null;
  if (typeof row?.summary !== 'object') {
    throw new StoreError('unreadable', formatSessionLabel(id), 'its data in Redis is not a session');
  }
  const [fence, head] = [Number(fields.get('fence')), Number(fields.get('head'))];
  return { ...row, id, fence, head, metadata: fields.get('about') ?? null };
}

/** Invalid JSON counts as missing; a checksum verifies the content. */
function parseJsonOrNull(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** The fields needed to decide whether a session has work to do; much cheaper than opening it. */
export type SessionHead = Pick<SessionSummary, 'id' | 'head' | 'metadata' | 'status'> & {
  /** The session's revision. */
  readonly rev: string;
};

const headFields = ['row', 'fence', 'head', 'about', 'rev'] as const;

/** Returns null for a session that does not exist or is unreadable. */
export async function readSessionHead(
  redis: RedisClient,
  prefix: string,
  id: string,
): Promise<SessionHead | null> {
  const values = await redis.hmget(buildSessionKeys(prefix, id).session, ...headFields);
  const fields = new Map<string, string>(
    headFields.flatMap((name, index) => {
      const value = values[index] ?? null;
      return value === null ? [] : [[name, value] as const];
    }),
  );
  if (fields.size === 0) return null;
  try {
    const { summary, damage, head, metadata } = parseSessionRow(id, fields);
    const status = damage === null ? summary.status : 'damaged';
    return { id, head, status, metadata: JSON.parse(metadata ?? 'null'), rev: fields.get('rev') ?? '' };
  } catch {
    return null;
  }
}
