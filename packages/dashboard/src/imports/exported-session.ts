import { createHash } from 'node:crypto';
import { step, type AuditLevel, type Event, type Session, type Verdict } from '@pawl/core';
import { parseEvent } from '@pawl/runtime';
import type { ImportedRun, KeptEvent } from '../api/index.ts';
import { gravestOf } from './gravest.ts';

/** What `pawl export --as json` and `--as jsonl` write first. */
const sign = /^\s*\{\s*"format"\s*:\s*"pawl-session"/;

/** Whether a file was made by `pawl export`. */
export function isExported(bytes: Buffer): boolean {
  return sign.test(
    bytes
      .subarray(0, 200)
      .toString('utf8')
      .replace(/^\uFEFF/, ''),
  );
}

/**
 * Reads a session that was exported. It is looked at as what it is, somebody's file: nothing in it is believed before it has
 * been checked. Throws an `Error` that says what is wrong with it.
 */
export function exportedSession(text: string, name: string): ImportedRun {
  const { head, events: given } = partsOf(text);
  if (head['version'] !== 1)
    throw new Error('It was exported by another version of Pawl. Export it again with this one.');
  const created = sessionIn(head['created']);
  const events = checked(created, given);
  const { about } = head;
  return {
    name,
    format: 'pawl-session',
    model: textIn(about, 'model'),
    success: null,
    created,
    events,
    audit: replayed(created, events),
    cut: null,
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** One object with all the events in it is json; an object on each line is jsonl, and the last of them is the end. */
function partsOf(text: string): { readonly head: Fields; readonly events: readonly unknown[] } {
  const whole = parsed(text);
  if (whole !== null && Array.isArray(whole['events'])) return { head: whole, events: whole['events'] };
  const lines = text.trimEnd().split('\n');
  const values = lines.map((line, index) => {
    const value = parsed(line);
    if (value === null) throw new Error(`Line ${index + 1} is not a JSON object.`);
    return value;
  });
  const [head = {}, ...rest] = values;
  return { head, events: rest.filter((each) => Object.hasOwn(each, 'event')) };
}

function parsed(text: string): Fields | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** Enough of a session to step from; that it can be stepped from is tried. */
function sessionIn(value: unknown): Session {
  const session = value as Partial<Session> | null | undefined;
  if (typeof session !== 'object' || session === null || session.version !== 1) {
    throw new Error('It has no session to begin with, or one of a newer version of Pawl.');
  }
  const isWhole =
    typeof session.id === 'string' &&
    typeof session.seq === 'number' &&
    typeof session.settings === 'object' &&
    typeof session.turn?.status === 'string' &&
    typeof session.governor === 'object';
  if (!isWhole) throw new Error('The session it begins with is not whole.');
  return session as Session;
}

/** Checks every link of the chain, and that every event is one. */
function checked(created: Session, given: readonly unknown[]): readonly KeptEvent[] {
  let hash = chained('', created);
  let { seq } = created;
  return given.map((value) => {
    seq += 1;
    const kept = value as {
      readonly seq?: unknown;
      readonly event?: unknown;
      readonly hash?: unknown;
    } | null;
    if (kept?.seq !== seq) throw new Error(`Event ${seq} is missing, or has another number.`);
    const event = parseEvent(kept.event);
    if (!event.ok) throw new Error(`Event ${seq} is not an event: ${event.error}`);
    hash = chained(hash, kept.event as Event);
    if (kept.hash !== hash)
      throw new Error(`Event ${seq} or what is before it was changed since it was exported.`);
    return { seq, event: kept.event as Event };
  });
}

function chained(previous: string, value: Session | Event): string {
  try {
    return createHash('sha256').update(previous).update('\n').update(JSON.stringify(value)).digest('hex');
  } catch {
    throw new Error('It is nested too deep.');
  }
}

/** What is wrong deep inside a session shows when it is replayed. */
function replayed(created: Session, events: readonly KeptEvent[]): ImportedRun['audit'] {
  try {
    return auditOf(created, events);
  } catch (error) {
    throw new Error('The session it begins with cannot be replayed.', { cause: error });
  }
}

/** The governor's own verdicts, as they stand in the session. */
function auditOf(created: Session, events: readonly KeptEvent[]): ImportedRun['audit'] {
  let session = created;
  const verdicts: ImportedRun['audit']['verdicts'] = [];
  for (const { seq, event } of events) {
    const { session: after, notes } = step(session, event);
    session = after;
    for (const note of notes) {
      if (note.type === 'verdict') verdicts.push(told(note.verdict, seq));
    }
  }
  return { level: gravestOf(verdicts), verdicts };
}

const levelOf: Record<Verdict['response']['kind'], AuditLevel> = {
  advise: 'nudge',
  refuse: 'block',
  run: 'block',
  recover: 'block',
  ask: 'ask',
  finish: 'stop',
  halt: 'stop',
};

function told(
  { rule, reason, advice, evidence, response }: Verdict,
  seq: number,
): ImportedRun['audit']['verdicts'][number] {
  return { step: seq, seq, level: levelOf[response.kind], rule, reason, advice, evidence: [...evidence] };
}

function textIn(about: unknown, key: string): string | null {
  if (typeof about !== 'object' || about === null || !Object.hasOwn(about, key)) return null;
  const text: unknown = Reflect.get(about, key);
  return typeof text === 'string' ? text : null;
}
