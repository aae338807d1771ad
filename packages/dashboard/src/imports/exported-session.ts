import { createHash } from 'node:crypto';
import { step, type Event, type Session, type Verdict } from '@pawl/core';
import type { AuditSeverity } from '@pawl/governor/audit';
import { parseEvent } from '@pawl/runtime/schema';
import type { ImportedRun, NumberedEvent } from '../api/index.ts';
import { findMostSevereLevel } from './most-severe.ts';

/** The first bytes that `pawl export --as json` and `--as jsonl` write. */
const exportSignature = /^\s*\{\s*"format"\s*:\s*"pawl-session"/;

/** Whether `pawl export` wrote the file. */
export function isExportedSession(bytes: Buffer): boolean {
  return exportSignature.test(
    bytes
      .subarray(0, 200)
      .toString('utf8')
      .replace(/^\uFEFF/, ''),
  );
}

/**
 * Parses an exported session. The file is untrusted, so everything in it is verified first. Throws an `Error` that
 * describes the problem.
 */
export function parseExportedSession(text: string, name: string): ImportedRun {
  const { head, events: records } = splitExport(text);
  if (head['version'] !== 1)
    throw new Error(
      'The file was exported by another version of Pawl. Export the session again with this version.',
    );
  const created = parseInitialSession(head['created']);
  const events = verifyEventChain(created, records);
  const { about } = head;
  return {
    name,
    format: 'pawl-session',
    model: getTextProperty(about, 'model'),
    success: null,
    created,
    events,
    audit: replayAudit(created, events),
    cut: null,
  };
}

type ExportRecord = Readonly<Record<string, unknown>>;

/** A `json` export is one object with all events; a `jsonl` export has one object per line and a closing record. */
function splitExport(text: string): { readonly head: ExportRecord; readonly events: readonly unknown[] } {
  const document = parseExportRecord(text);
  if (document !== null && Array.isArray(document['events'])) {
    return { head: document, events: document['events'] };
  }
  const lines = text.trimEnd().split('\n');
  const values = lines.map((line, index) => {
    const value = parseExportRecord(line);
    if (value === null) throw new Error(`Line ${index + 1} is not a JSON object.`);
    return value;
  });
  const [head = {}, ...rest] = values;
  return { head, events: rest.filter((each) => Object.hasOwn(each, 'event')) };
}

function parseExportRecord(text: string): ExportRecord | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as ExportRecord) : null;
  } catch {
    return null;
  }
}

/** Checks the fields that replay needs; the replay itself reveals any other defect. */
function parseInitialSession(value: unknown): Session {
  const session = value as Partial<Session> | null | undefined;
  if (typeof session !== 'object' || session === null || session.version !== 1) {
    throw new Error('The initial session is missing or was written by a newer version of Pawl.');
  }
  const isComplete =
    typeof session.id === 'string' &&
    typeof session.seq === 'number' &&
    typeof session.settings === 'object' &&
    typeof session.turn?.status === 'string' &&
    typeof session.governor === 'object';
  if (!isComplete) throw new Error('The initial session is incomplete.');
  return session as Session;
}

/** Verifies the hash chain, and that every entry is a valid event. */
function verifyEventChain(created: Session, records: readonly unknown[]): readonly NumberedEvent[] {
  let hash = hashChainLink('', created);
  let { seq } = created;
  return records.map((value) => {
    seq += 1;
    const record = value as {
      readonly seq?: unknown;
      readonly event?: unknown;
      readonly hash?: unknown;
    } | null;
    if (record?.seq !== seq) throw new Error(`Event ${seq} is missing or has a wrong number.`);
    const event = parseEvent(record.event);
    if (!event.ok) throw new Error(`Event ${seq} is invalid: ${event.error}`);
    hash = hashChainLink(hash, record.event as Event);
    if (record.hash !== hash)
      throw new Error(`Event ${seq} or an earlier one was modified after the export.`);
    return { seq, event: record.event as Event };
  });
}

function hashChainLink(previous: string, value: Session | Event): string {
  try {
    return createHash('sha256').update(previous).update('\n').update(JSON.stringify(value)).digest('hex');
  } catch {
    throw new Error('The file is nested too deeply.');
  }
}

/** Replay reveals defects deep inside the initial session. */
function replayAudit(created: Session, events: readonly NumberedEvent[]): ImportedRun['audit'] {
  try {
    return collectAudit(created, events);
  } catch (error) {
    throw new Error('The initial session cannot be replayed.', { cause: error });
  }
}

/** Collects the verdicts that the session's own governor reached. */
function collectAudit(created: Session, events: readonly NumberedEvent[]): ImportedRun['audit'] {
  let session = created;
  const verdicts: ImportedRun['audit']['verdicts'] = [];
  for (const { seq, event } of events) {
    const { session: after, notes } = step(session, event);
    session = after;
    for (const note of notes) {
      if (note.type === 'verdict') verdicts.push(toImportedVerdict(note.verdict, seq));
    }
  }
  return { level: findMostSevereLevel(verdicts), verdicts };
}

const levelByResponse: Record<Verdict['response']['kind'], AuditSeverity> = {
  advise: 'nudge',
  refuse: 'block',
  run: 'block',
  recover: 'block',
  ask: 'ask',
  finish: 'stop',
  halt: 'stop',
};

function toImportedVerdict(
  { rule, reason, advice, evidence, response }: Verdict,
  seq: number,
): ImportedRun['audit']['verdicts'][number] {
  return {
    step: seq,
    seq,
    level: levelByResponse[response.kind],
    rule,
    reason,
    advice,
    evidence: [...evidence],
  };
}

function getTextProperty(record: unknown, key: string): string | null {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, key)) return null;
  const text: unknown = Reflect.get(record, key);
  return typeof text === 'string' ? text : null;
}
