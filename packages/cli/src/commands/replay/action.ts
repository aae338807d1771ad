import type { ModelFlags } from '@pawl/runtime/agent-setup';
import { computeStateHash, type Store } from '@pawl/runtime/store';
import { exitCodes, type ExitCode, UsageError } from '../../exit-codes.ts';
import type { CommandIo } from '../../command-io.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { BrokenRecordError, readSessionRecord } from './read-record.ts';
import { loadSessionRecord, type SessionRecord } from '../../sessions/session-record.ts';
import { findFirstDivergentEvent, replaySessionRecord, type ReplayFault } from './log.ts';
import { replayWithModel } from './model.ts';
import { findSession } from '../../sessions/find-session.ts';
import { withSessionStore, type SessionFlags } from '../../sessions/store-option.ts';
import { formatStatus } from '../../sessions/session-ending.ts';
import { formatCount } from '../../output/format-number.ts';

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
