import type { ModelFlags } from '@pawl/runtime/agent-setup';
import { computeStateHash, type Store, type StoredEvent } from '@pawl/runtime/store';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { loadSessionRecord, type SessionRecord } from '../../sessions/session-record.ts';
import { replayWithModel } from './model.ts';
import { findSession } from '../../sessions/find-session.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import { formatStatus } from '../../sessions/session-ending.ts';
import { formatCount } from '../../output/format-number.ts';
import { readFile } from 'node:fs/promises';
import { ExportedSessionError, parseExportedSession, type ExportedSession } from '@pawl/runtime/logs';
import { step, type Session } from '@pawl/core';

export type ReplaySessionOptions = SessionFlags &
  ModelFlags & {
    readonly file?: string | undefined;
    readonly withModel?: boolean | undefined;
    readonly profile?: string | undefined;
    /** Continue after the first reply that differs. */
    readonly all?: boolean | undefined;
    readonly signal?: AbortSignal | undefined;
  };

/** Replays a session's log and verifies the resulting state, or compares a model's replies with the recorded ones. */
export async function runReplay(
  sessionRef: string | undefined,
  options: ReplaySessionOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const { file } = options;
  if ((sessionRef === undefined) === (file === undefined)) {
    throw new UsageError('Specify the session to replay: an id, or --file with an exported session.');
  }
  if (file !== undefined) return replayExportedFile(file, options, io);
  return withSessionStore(options, async (store) => {
    const { id } = await findSession(store, sessionRef ?? '', options.dir);
    const record = await loadSessionRecord(store, id);
    return options.withModel === true
      ? replayWithModel(record, options, io)
      : reportReplay(record, store, options, io);
  });
}

async function replayExportedFile(
  file: string,
  options: ReplaySessionOptions,
  io: CommandIo,
): Promise<ExitCode> {
  try {
    const record = await readSessionRecord(file);
    return options.withModel === true
      ? await replayWithModel(record, options, io)
      : await reportReplay(record, null, options, io);
  } catch (error) {
    if (!(error instanceof BrokenRecordError)) throw error;
    if (options.json !== true) throw error;
    const { seq, message } = error;
    io.stdout.write(
      `${JSON.stringify({ type: 'replay', file, same: false, differsAt: seq, reason: message })}\n`,
    );
    return exitCodes.failed;
  }
}

/** Compares the replayed state with the one the store opens, or, for a file, with the one recorded at export. */
async function reportReplay(
  record: SessionRecord,
  store: Store | null,
  { json }: ReplaySessionOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const { id, head, stateHash: expected } = record;
  const line = createProgressLine(io.stderr);
  const { end, events, fault } = await replaySessionRecord(record, (seq) =>
    line.show(`Replaying event ${seq} of ${head} …`),
  );
  line.clear();
  const hash = computeStateHash(end);
  const differs =
    fault ?? (expected === null || hash === expected ? null : await locateDifference(record, store));
  const status = end.turn.status;
  const report = {
    type: 'replay',
    id,
    events,
    status,
    stateHash: hash,
    expected,
    same: differs === null ? (expected === null ? null : true) : false,
    differsAt: differs?.seq ?? null,
    reason: differs?.reason ?? null,
  };
  io.stdout.write(`${json === true ? JSON.stringify(report) : formatReplayReport(report, store === null)}\n`);
  return differs === null ? exitCodes.finished : exitCodes.failed;
}

async function locateDifference(record: SessionRecord, store: Store | null): Promise<ReplayFault> {
  if (store === null)
    return {
      seq: record.head,
      reason: 'the events match the export, but they now lead to a different state',
    };
  return {
    seq: await findFirstDivergentEvent(store, record),
    reason: 'from there on the stored state differs',
  };
}

type ReplayReport = {
  readonly id: string;
  readonly events: number;
  readonly status: Parameters<typeof formatStatus>[0];
  readonly stateHash: string;
  /** Null if an older release wrote the file: its hash is of other names. */
  readonly expected: string | null;
  readonly differsAt: number | null;
  readonly reason: string | null;
};

function formatReplayReport(
  { id, events, status, stateHash: hash, expected, differsAt, reason }: ReplayReport,
  isFile: boolean,
): string {
  const expectation = isFile ? 'the exported state' : 'the stored state';
  return [
    `Replayed ${formatCount(events, 'event')} of ${sanitizeOneLine(id)}.`,
    `  state       ${formatStatus(status)}`,
    `  state hash  ${hash}`,
    ...(differsAt === null
      ? [
          expected === null
            ? 'The file was written by an older release, whose state hash cannot be compared. Every event was accepted.'
            : `Matches ${expectation}.`,
        ]
      : [
          ...(expected === null ? [] : [`  expected    ${expected}`]),
          `Does not match ${expectation}: it differs at event ${differsAt}; ${reason ?? ''}.`,
          ...(isFile ? [] : ['A snapshot may be from another version of Pawl; the events are unchanged.']),
        ]),
  ].join('\n');
}

/** Reads a json or jsonl file of `pawl export`. */
async function readSessionRecord(path: string): Promise<SessionRecord> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw createRecordError(path, error instanceof Error ? error.message : String(error));
  });
  const { created, metadata, events, head, stateHash } = parseRecord(path, text);
  return {
    id: created.id,
    about: metadata,
    parent: null,
    created,
    events: () => iterateEvents(events),
    head,
    stateHash,
  };
}

/** An event, by number, that differs from what was exported. */
class BrokenRecordError extends Error {
  override readonly name = 'BrokenRecord';
  readonly seq: number;

  constructor(path: string, seq: number, reason: string) {
    super(`Event ${seq} of ${JSON.stringify(path)} differs from the exported event: ${reason}`);
    this.seq = seq;
  }
}

function parseRecord(path: string, text: string): ExportedSession {
  try {
    return parseExportedSession(text);
  } catch (error) {
    if (!(error instanceof ExportedSessionError)) throw error;
    throw error.seq === null
      ? createRecordError(path, error.message)
      : new BrokenRecordError(path, error.seq, error.message);
  }
}

async function* iterateEvents(events: readonly StoredEvent[]): AsyncGenerator<StoredEvent, void, undefined> {
  yield* events;
}

function createRecordError(path: string, reason: string): UsageError {
  return new UsageError(`Cannot read a session from ${JSON.stringify(path)}: ${reason}.`);
}

/** The result of replaying a log. `fault` is the first event that does not replay as it was recorded. */
type ReplayedRecord = {
  readonly end: Session;
  readonly events: number;
  readonly fault: ReplayFault | null;
};

type ReplayFault = { readonly seq: number; readonly reason: string };

/** Replays a record from the initial session. */
async function replaySessionRecord(
  { created, events }: Pick<SessionRecord, 'created' | 'events'>,
  onEvent: (seq: number) => void = () => undefined,
  upTo = Infinity,
): Promise<ReplayedRecord> {
  let end = created;
  let count = 0;
  for await (const { seq, event } of events()) {
    if (seq > upTo) break;
    const after = tryStep(end, event);
    if (after === null) return { end, events: count, fault: { seq, reason: 'it cannot be replayed' } };
    // Every logged event was accepted when it was recorded.
    if (after.seq !== seq) return { end, events: count, fault: { seq, reason: 'it is no longer accepted' } };
    end = after;
    count += 1;
    onEvent(seq);
  }
  return { end, events: count, fault: null };
}

/** A forged event may lack fields that its type requires. */
function tryStep(session: Session, event: Parameters<typeof step>[1]): Session | null {
  try {
    return step(session, event).session;
  } catch {
    return null;
  }
}

/**
 * Finds the first event after which the store's session differs from the replayed one. Once they diverge they stay
 * different, because each state derives from the one before, so a binary search finds the event.
 */
async function findFirstDivergentEvent(store: Store, record: SessionRecord): Promise<number> {
  let same = record.created.seq;
  let other = record.head;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    const { end } = await replaySessionRecord(record, () => undefined, middle);
    const { session } = await store.open(record.id, { at: middle });
    if (computeStateHash(end) === computeStateHash(session)) same = middle;
    else other = middle;
  }
  return other;
}
