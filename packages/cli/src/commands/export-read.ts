import { readFile } from 'node:fs/promises';
import type { Event, Json, Session } from '@pawl/core';
import { parseEvent, type KeptEvent } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { chained, recordFormat, recordVersion, type SessionRecord } from './export-record.ts';

/**
 * Reads what `pawl export` wrote as json or jsonl. It is looked at as what it is, somebody's file: nothing in it is believed
 * before it has been checked, and nothing in it is ever run.
 */
export async function readRecord(path: string): Promise<SessionRecord> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw bad(path, error instanceof Error ? error.message : String(error));
  });
  const { head: start, events, tail } = partsOf(path, text);
  if (start['format'] !== recordFormat) throw bad(path, 'it was not made by pawl export --as json or jsonl');
  if (start['version'] !== recordVersion) {
    throw bad(
      path,
      `its version is ${JSON.stringify(start['version'])}, and this Pawl reads ${recordVersion}`,
    );
  }
  const created = sessionIn(path, start['created']);
  const kept = checked(path, created, events);
  const { head, stateHash } = tail;
  if (typeof head !== 'number' || typeof stateHash !== 'string') throw bad(path, 'its end is missing');
  if (head !== created.seq + kept.length) {
    throw bad(path, `it should have ${head - created.seq} events and has ${kept.length}`);
  }
  return {
    id: created.id,
    about: (start['about'] ?? null) as Json,
    parent: null,
    created,
    events: () => each(kept),
    head,
    stateHash,
  };
}

/** An event that is not as it was exported, by its number. */
export class BrokenRecord extends Error {
  override readonly name = 'BrokenRecord';
  readonly seq: number;

  constructor(path: string, seq: number, reason: string) {
    super(`Event ${seq} of ${JSON.stringify(path)} is not as it was exported: ${reason}`);
    this.seq = seq;
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Parts = { readonly head: Fields; readonly events: readonly unknown[]; readonly tail: Fields };

/** One object over several lines is json; an object on each line is jsonl. */
function partsOf(path: string, text: string): Parts {
  const whole = parsed(text);
  if (whole !== null && Array.isArray(whole['events']))
    return { head: whole, events: whole['events'], tail: whole };
  const lines = text.trimEnd().split('\n');
  const values = lines.map((line, index) => {
    const value = parsed(line);
    if (value === null) throw bad(path, `line ${index + 1} is not a JSON object`);
    return value;
  });
  const [head = {}, ...rest] = values;
  return { head, events: rest.slice(0, -1), tail: rest.at(-1) ?? {} };
}

function parsed(text: string): Fields | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** Enough of a session to step from; what is wrong deeper inside shows when it is replayed. */
function sessionIn(path: string, value: unknown): Session {
  const session = value as Partial<Session> | null | undefined;
  if (typeof session !== 'object' || session === null || typeof session.id !== 'string') {
    throw bad(path, 'it has no session to begin with');
  }
  if (session.version !== 1) throw bad(path, 'its session was made by a newer version of Pawl; update Pawl');
  const isWhole =
    typeof session.seq === 'number' &&
    typeof session.settings === 'object' &&
    typeof session.turn?.status === 'string' &&
    typeof session.governor === 'object';
  if (!isWhole) throw bad(path, 'the session it begins with is not whole');
  return session as Session;
}

/** Every link of the chain is looked at, and every event is one. */
function checked(path: string, created: Session, events: readonly unknown[]): readonly KeptEvent[] {
  let hash = firstHash(path, created);
  let seq = created.seq;
  return events.map((value) => {
    seq += 1;
    const kept = value as Partial<KeptEvent> | null;
    const broken = (reason: string): BrokenRecord => new BrokenRecord(path, seq, reason);
    if (kept?.seq !== seq) throw broken(`its number is ${JSON.stringify(kept?.seq)}`);
    const event = parseEvent(kept.event);
    if (!event.ok) throw broken(event.error);
    hash = chained(hash, kept.event as Event);
    if (kept.hash !== hash) throw broken('it or what is before it was changed');
    return kept as KeptEvent;
  });
}

/** Where the chain begins. JSON can be read that is nested too deep to be written again. */
function firstHash(path: string, created: Session): string {
  try {
    return chained('', created);
  } catch {
    throw bad(path, 'the session it begins with is nested too deep');
  }
}

async function* each(events: readonly KeptEvent[]): AsyncGenerator<KeptEvent, void, undefined> {
  yield* events;
}

function bad(path: string, reason: string): UsageError {
  return new UsageError(`Cannot read a session from ${JSON.stringify(path)}: ${reason}.`);
}
