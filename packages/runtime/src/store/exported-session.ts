import type { Event, Json, Session } from '@pawl/core';
import { isOlderSession, upgradeEvent, upgradeSession } from '@pawl/core/upgrade';
import { parseEvent } from '../schema/parse-event.ts';
import { computeLinkHash } from './chain.ts';
import type { StoredEvent } from './store.ts';

/** The format name and version of files written by `pawl export --as json` and `--as jsonl`. */
export const exportFormat = 'pawl-session';
export const exportVersion = 1;

/** A session read from an exported file. */
export type ExportedSession = {
  readonly created: Session;
  readonly metadata: Json;
  readonly events: readonly StoredEvent[];
  readonly head: number;
  /** Hash of the final session state, computed by the writer of the file; null if it used the names of an older release. */
  readonly stateHash: string | null;
};

/**
 * Why a file is not a valid export. `seq` is the number of an invalid or changed event; the reason is a clause, such as
 * "its end is missing".
 */
export class ExportedSessionError extends Error {
  override readonly name = 'ExportedSessionError';
  readonly problem: 'format' | 'version' | 'invalid-event' | 'changed-event';
  readonly seq: number | null;

  constructor(problem: ExportedSessionError['problem'], reason: string, seq: number | null = null) {
    super(reason);
    this.problem = problem;
    this.seq = seq;
  }
}

/**
 * Parses an exported session. The file is untrusted: everything is validated before use, and nothing in it is ever
 * executed. Throws an `ExportedSessionError`.
 */
export function parseExportedSession(text: string): ExportedSession {
  const { head: first, events: values, tail } = splitExport(text);
  if (first['format'] !== exportFormat)
    throw new ExportedSessionError('format', 'it was not written by pawl export --as json or jsonl');
  if (first['version'] !== exportVersion) {
    throw new ExportedSessionError(
      'version',
      `its version is ${JSON.stringify(first['version'])}, but this version of Pawl reads version ${exportVersion}`,
    );
  }
  const created = parseInitialSession(first['created']);
  const events = verifyEvents(created, values);
  const { head, stateHash } = tail;
  if (typeof head !== 'number' || typeof stateHash !== 'string')
    throw new ExportedSessionError('format', 'its end is missing (head and stateHash)');
  if (head !== created.seq + events.length) {
    throw new ExportedSessionError(
      'format',
      `it should have ${head - created.seq} events but has ${events.length}`,
    );
  }
  return {
    created: upgradeSession(created),
    metadata: (first['about'] ?? null) as Json,
    events,
    head,
    stateHash: isOlderSession(created) ? null : stateHash,
  };
}

type UnknownFields = Readonly<Record<string, unknown>>;
type ExportParts = {
  readonly head: UnknownFields;
  readonly events: readonly unknown[];
  readonly tail: UnknownFields;
};

/** One object across several lines is json; one object per line is jsonl. */
function splitExport(text: string): ExportParts {
  const whole = parseObjectOrNull(text);
  if (whole !== null && Array.isArray(whole['events']))
    return { head: whole, events: whole['events'], tail: whole };
  const lines = text.trimEnd().split('\n');
  const values = lines.map((line, index) => {
    const value = parseObjectOrNull(line);
    if (value === null) throw new ExportedSessionError('format', `line ${index + 1} is not a JSON object`);
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
function parseInitialSession(value: unknown): Session {
  const session = value as Partial<Session> | null | undefined;
  if (typeof session !== 'object' || session === null || typeof session.id !== 'string')
    throw new ExportedSessionError('format', 'it has no initial session');
  if (session.version !== 1) {
    throw new ExportedSessionError(
      'format',
      'its session was written by a newer version of Pawl; update Pawl',
    );
  }
  const isComplete =
    typeof session.seq === 'number' &&
    typeof session.settings === 'object' &&
    typeof session.turn?.status === 'string' &&
    typeof session.governor === 'object';
  if (!isComplete) throw new ExportedSessionError('format', 'its initial session is incomplete');
  return session as Session;
}

/** Verifies every event and every link of the hash chain. */
function verifyEvents(created: Session, values: readonly unknown[]): readonly StoredEvent[] {
  let hash = hashInitialSession(created);
  let { seq } = created;
  return values.map((value) => {
    seq += 1;
    const stored = value as Partial<StoredEvent> | null;
    if (stored?.seq !== seq)
      throw new ExportedSessionError('invalid-event', `its number is ${JSON.stringify(stored?.seq)}`, seq);
    const event = parseEvent(stored.event);
    if (!event.ok) throw new ExportedSessionError('invalid-event', event.error, seq);
    hash = computeLinkHash(hash, JSON.stringify(stored.event satisfies Event | undefined));
    if (stored.hash !== hash)
      throw new ExportedSessionError('changed-event', 'this event or an earlier one was changed', seq);
    return { ...(stored as StoredEvent), event: upgradeEvent(stored.event) as Event };
  });
}

/** Computes the first hash of the chain; JSON that parses can still be nested too deeply to stringify. */
function hashInitialSession(created: Session): string {
  try {
    return computeLinkHash('', JSON.stringify(created));
  } catch {
    throw new ExportedSessionError('format', 'its initial session is nested too deeply');
  }
}
