import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replay, step, type Event, type Session } from '../../src/index.ts';
import { isOlderSession, upgradeEvent, upgradeSession } from '../../src/upgrade-entry.ts';
import type { LogScenario } from './log-scenario.ts';
import { toRecordedNames } from './recorded-names.ts';

/*
 * A recorded log: a line with the initial session, then a line for each event with a hash of each part of the session
 * that its step changed. The hashes determine every intermediate session and show which part of a replay differs.
 */
export type RecordedLog = {
  readonly name: string;
  readonly about: string;
  readonly session: Session;
  /** Whether a release before 0.2.0 recorded it: its hashes are of sessions with other names. */
  readonly hasOlderNames: boolean;
  readonly entries: readonly RecordedEntry[];
};

type RecordedEntry = { readonly event: Event; readonly status: string; readonly changed: SessionPartHashes };

/** Hashes by the name of the session part. */
type SessionPartHashes = { readonly [part: string]: string };

export const logFolder = join(import.meta.dirname, 'logs');

export function getLogPath(name: string, within = logFolder): string {
  return join(within, `${name}.jsonl`);
}

export function listRecordedNames(): readonly string[] {
  return readdirSync(logFolder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.slice(0, -'.jsonl'.length))
    .toSorted();
}

export function readRecordedLog(name: string): RecordedLog {
  return parseRecordedLog(name, readFileSync(getLogPath(name), 'utf8'));
}

export function parseRecordedLog(name: string, text: string): RecordedLog {
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const { about, session } = JSON.parse(first) as Pick<RecordedLog, 'about' | 'session'>;
  const entries = lines.map((line) => {
    const entry = JSON.parse(line) as RecordedEntry;
    return { ...entry, event: upgradeEvent(entry.event) as Event };
  });
  return { name, about, session: upgradeSession(session), hasOlderNames: isOlderSession(session), entries };
}

/** Records a scenario with the current code and returns the text of its log. */
export function recordScenario({ about, session, events }: LogScenario): string {
  let at = session;
  const lines = events.map((event) => {
    const before = at;
    at = step(before, event).session;
    return { event, status: at.turn.status, changed: hashChangedParts(before, at) };
  });
  return [{ about, session }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Replays a log until the first difference. `between` transforms the session before each event. */
export function replayRecordedLog(
  log: RecordedLog,
  between: (session: Session) => Session = (session) => session,
): { readonly end: Session; readonly difference: string | null } {
  let { session } = log;
  for (const [index, entry] of log.entries.entries()) {
    const before = between(session);
    session = replay(before, [entry.event]);
    const changed = log.hasOlderNames
      ? hashChangedParts(toRecordedNames(before), toRecordedNames(session))
      : hashChangedParts(before, session);
    const parts = listDifferingParts(entry.changed, changed);
    if (parts.length > 0) {
      return { end: session, difference: describeDifference(log, { index, parts, is: session.turn.status }) };
    }
  }
  return { end: session, difference: null };
}

function hashChangedParts(
  before: { readonly [part: string]: unknown },
  after: { readonly [part: string]: unknown },
): SessionPartHashes {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => before[name] !== after[name]);
  const hashed = changed.map(
    (name) => [name, hashSessionPart(before[name]), hashSessionPart(after[name])] as const,
  );
  return Object.fromEntries(hashed.flatMap(([name, was, is]) => (was === is ? [] : [[name, is]])));
}

function listDifferingParts(recorded: SessionPartHashes, created: SessionPartHashes): readonly string[] {
  const names = new Set([...Object.keys(recorded), ...Object.keys(created)]);
  return [...names].filter((name) => recorded[name] !== created[name]);
}

/** Equal values have equal hashes, regardless of key order. */
function hashSessionPart(value: unknown): string {
  const text =
    JSON.stringify(value, (_, each: unknown) => (isRecord(each) ? sortObjectKeys(each) : each)) ?? '';
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortObjectKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function describeDifference(
  { name, entries }: RecordedLog,
  { index, parts, is }: { readonly index: number; readonly parts: readonly string[]; readonly is: string },
): string {
  const { event, status: was } = entries[index] as RecordedEntry;
  const where = was === is ? `both ${is}` : `${was} when it was recorded, ${is} now`;
  return [
    `logs/${name}.jsonl, event ${index + 1} (${event.type}): replay gives a different session (${where}).`,
    `Differing parts: ${parts.join(', ')}.`,
    'A stored session would change on replay. Do not change the recorded log: give your change the next number in',
    'packages/core/src/session/log-version.ts, and keep the old behavior for sessions with a lower one. See docs/replay.md.',
  ].join('\n');
}
