import { readFile } from 'node:fs/promises';
import type { Event, Json, Session } from '@pawl/core';
import { parseEvent } from '@pawl/runtime/schema';
import type { StoredEvent } from '@pawl/runtime/store';
import { UsageError } from '../usage-error.ts';
import { hashChainLink, recordFormat, recordVersion, type SessionRecord } from './export-record.ts';

/**
 * Reads a json or jsonl file of `pawl export`. The file is untrusted: everything is validated before use, and nothing
 * in it is ever executed.
 */
export async function readSessionRecord(path: string): Promise<SessionRecord> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw createRecordError(path, error instanceof Error ? error.message : String(error));
  });
  const { head: first, events, tail } = splitRecord(path, text);
  if (first['format'] !== recordFormat)
    throw createRecordError(path, 'it was not written by pawl export --as json or jsonl');
  if (first['version'] !== recordVersion) {
    throw createRecordError(
      path,
      `its version is ${JSON.stringify(first['version'])}, but this version of Pawl reads version ${recordVersion}`,
    );
  }
  const created = parseRecordSession(path, first['created']);
  const stored = verifyEventChain(path, created, events);
  const { head, stateHash } = tail;
  if (typeof head !== 'number' || typeof stateHash !== 'string')
    throw createRecordError(path, 'its end is missing (head and stateHash)');
  if (head !== created.seq + stored.length) {
    throw createRecordError(path, `it should have ${head - created.seq} events but has ${stored.length}`);
  }
  return {
    id: created.id,
    about: (first['about'] ?? null) as Json,
    parent: null,
    created,
    events: () => iterateEvents(stored),
    head,
    stateHash,
  };
}

/** An event, by number, that differs from what was exported. */
export class BrokenRecordError extends Error {
  override readonly name = 'BrokenRecord';
  readonly seq: number;

  constructor(path: string, seq: number, reason: string) {
    super(`Event ${seq} of ${JSON.stringify(path)} differs from the exported event: ${reason}`);
    this.seq = seq;
  }
}

type UnknownFields = Readonly<Record<string, unknown>>;
type RecordParts = {
  readonly head: UnknownFields;
  readonly events: readonly unknown[];
  readonly tail: UnknownFields;
};

/** One object across several lines is json; one object per line is jsonl. */
function splitRecord(path: string, text: string): RecordParts {
  const record = parseObjectOrNull(text);
  if (record !== null && Array.isArray(record['events']))
    return { head: record, events: record['events'], tail: record };
  const lines = text.trimEnd().split('\n');
  const values = lines.map((line, index) => {
    const value = parseObjectOrNull(line);
    if (value === null) throw createRecordError(path, `line ${index + 1} is not a JSON object`);
    return value;
  });
  const [head = {}, ...rest] = values;
  return { head, events: rest.slice(0, -1), tail: rest.at(-1) ?? {} };
}

function parseObjectOrNull(text: string): UnknownFields | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as UnknownFields) : null;
  } catch {
    return null;
  }
}

/** Validates only what stepping needs; deeper errors surface during replay. */
function parseRecordSession(path: string, value: unknown): Session {
  const session = value as Partial<Session> | null | undefined;
  if (typeof session !== 'object' || session === null || typeof session.id !== 'string') {
    throw createRecordError(path, 'it has no initial session');
  }
  if (session.version !== 1)
    throw createRecordError(path, 'its session was written by a newer version of Pawl; update Pawl');
  const isComplete =
    typeof session.seq === 'number' &&
    typeof session.settings === 'object' &&
    typeof session.turn?.status === 'string' &&
    typeof session.governor === 'object';
  if (!isComplete) throw createRecordError(path, 'its initial session is incomplete');
  return session as Session;
}

/** Verifies every event and every link of the hash chain. */
function verifyEventChain(
  path: string,
  created: Session,
  events: readonly unknown[],
): readonly StoredEvent[] {
  let hash = hashCreatedSession(path, created);
  let seq = created.seq;
  return events.map((value) => {
    seq += 1;
    const stored = value as Partial<StoredEvent> | null;
    const createError = (reason: string): BrokenRecordError => new BrokenRecordError(path, seq, reason);
    if (stored?.seq !== seq) throw createError(`its number is ${JSON.stringify(stored?.seq)}`);
    const event = parseEvent(stored.event);
    if (!event.ok) throw createError(event.error);
    hash = hashChainLink(hash, stored.event as Event);
    if (stored.hash !== hash) throw createError('this event or an earlier one was changed');
    return stored as StoredEvent;
  });
}

/** Computes the first hash of the chain; JSON that parses can still be nested too deeply to stringify. */
function hashCreatedSession(path: string, created: Session): string {
  try {
    return hashChainLink('', created);
  } catch {
    throw createRecordError(path, 'its initial session is nested too deeply');
  }
}

async function* iterateEvents(events: readonly StoredEvent[]): AsyncGenerator<StoredEvent, void, undefined> {
  yield* events;
}

function createRecordError(path: string, reason: string): UsageError {
  return new UsageError(`Cannot read a session from ${JSON.stringify(path)}: ${reason}.`);
}
