import { readFile } from 'node:fs/promises';
import type { Event, Json, Session } from '@pawl/core';
import { parseEvent, type StoredEvent } from '@pawl/runtime';
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
  const { head: start, events, tail } = splitRecord(path, text);
  if (start['format'] !== recordFormat)
    throw createRecordError(path, 'it was not made by pawl export --as json or jsonl');
  if (start['version'] !== recordVersion) {
    throw createRecordError(
      path,
      `its version is ${JSON.stringify(start['version'])}, and this Pawl reads ${recordVersion}`,
    );
  }
  const created = parseRecordSession(path, start['created']);
  const kept = verifyEventChain(path, created, events);
  const { head, stateHash } = tail;
  if (typeof head !== 'number' || typeof stateHash !== 'string')
    throw createRecordError(path, 'its end is missing');
  if (head !== created.seq + kept.length) {
    throw createRecordError(path, `it should have ${head - created.seq} events and has ${kept.length}`);
  }
  return {
    id: created.id,
    about: (start['about'] ?? null) as Json,
    parent: null,
    created,
    events: () => iterateEvents(kept),
    head,
    stateHash,
  };
}

/** An event, by number, that differs from what was exported. */
export class BrokenRecordError extends Error {
  override readonly name = 'BrokenRecord';
  readonly seq: number;

  constructor(path: string, seq: number, reason: string) {
    super(`Event ${seq} of ${JSON.stringify(path)} is not as it was exported: ${reason}`);
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
  const whole = parseObjectOrNull(text);
  if (whole !== null && Array.isArray(whole['events']))
    return { head: whole, events: whole['events'], tail: whole };
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
    throw createRecordError(path, 'it has no session to begin with');
  }
  if (session.version !== 1)
    throw createRecordError(path, 'its session was made by a newer version of Pawl; update Pawl');
  const isWhole =
    typeof session.seq === 'number' &&
    typeof session.settings === 'object' &&
    typeof session.turn?.status === 'string' &&
    typeof session.governor === 'object';
  if (!isWhole) throw createRecordError(path, 'the session it begins with is not whole');
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
    const kept = value as Partial<StoredEvent> | null;
    const broken = (reason: string): BrokenRecordError => new BrokenRecordError(path, seq, reason);
    if (kept?.seq !== seq) throw broken(`its number is ${JSON.stringify(kept?.seq)}`);
    const event = parseEvent(kept.event);
    if (!event.ok) throw broken(event.error);
    hash = hashChainLink(hash, kept.event as Event);
    if (kept.hash !== hash) throw broken('it or what is before it was changed');
    return kept as StoredEvent;
  });
}

/** Computes the first hash of the chain; JSON that parses can still be nested too deeply to stringify. */
function hashCreatedSession(path: string, created: Session): string {
  try {
    return hashChainLink('', created);
  } catch {
    throw createRecordError(path, 'the session it begins with is nested too deep');
  }
}

async function* iterateEvents(events: readonly StoredEvent[]): AsyncGenerator<StoredEvent, void, undefined> {
  yield* events;
}

function createRecordError(path: string, reason: string): UsageError {
  return new UsageError(`Cannot read a session from ${JSON.stringify(path)}: ${reason}.`);
}
