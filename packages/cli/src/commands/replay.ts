import { stateHash, type Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { progressLine } from '../progress-line.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { BrokenRecord, readRecord } from './export-read.ts';
import { recordOf, type SessionRecord } from './export-record.ts';
import type { ModelFlags } from './model-options.ts';
import { firstDifference, replayRecord, type Fault } from './replay-log.ts';
import { replayWithModel } from './replay-model.ts';
import { sessionNamed } from './session-named.ts';
import { withStore, type SessionFlags } from './session-store.ts';
import { statusText } from './show-ending.ts';
import { counted } from './number-text.ts';

export type ReplayOptions = SessionFlags &
  ModelFlags & {
    readonly file?: string | undefined;
    readonly withModel?: boolean | undefined;
    readonly profile?: string | undefined;
    /** Go on after the first reply that differs. */
    readonly all?: boolean | undefined;
    readonly signal?: AbortSignal | undefined;
  };

/** Goes through the log of a session once more: by itself, or asking a model at each step what it would say. */
export async function replaySession(
  word: string | undefined,
  options: ReplayOptions,
  io: Io,
): Promise<ExitCode> {
  const { file } = options;
  if ((word === undefined) === (file === undefined)) {
    throw new UsageError('Say which session to replay: its id, or --file with one that was exported.');
  }
  if (file !== undefined) return replayFile(file, options, io);
  return withStore(options, async (store) => {
    const { id } = await sessionNamed(store, word ?? '', options.dir);
    const record = await recordOf(store, id);
    return options.withModel === true
      ? replayWithModel(record, options, io)
      : report(record, store, options, io);
  });
}

async function replayFile(file: string, options: ReplayOptions, io: Io): Promise<ExitCode> {
  try {
    const record = await readRecord(file);
    return options.withModel === true
      ? await replayWithModel(record, options, io)
      : await report(record, null, options, io);
  } catch (error) {
    if (!(error instanceof BrokenRecord)) throw error;
    if (options.json !== true) throw error;
    const { seq, message } = error;
    io.stdout.write(
      `${JSON.stringify({ type: 'replay', file, same: false, differsAt: seq, reason: message })}\n`,
    );
    return exitCodes.failed;
  }
}

/** A store tells what it opens; a file what was opened when it was written. */
async function report(
  record: SessionRecord,
  store: Store | null,
  { json }: ReplayOptions,
  io: Io,
): Promise<ExitCode> {
  const { id, head, stateHash: expected } = record;
  const line = progressLine(io.stderr);
  const { end, events, fault } = await replayRecord(record, (seq) =>
    line.show(`Replaying event ${seq} of ${head} …`),
  );
  line.clear();
  const hash = stateHash(end);
  const differs = fault ?? (hash === expected ? null : await difference(record, store));
  const status = end.turn.status;
  const told = {
    type: 'replay',
    id,
    events,
    status,
    stateHash: hash,
    expected,
    same: differs === null,
    differsAt: differs?.seq ?? null,
    reason: differs?.reason ?? null,
  };
  io.stdout.write(`${json === true ? JSON.stringify(told) : textOf(told, store === null)}\n`);
  return differs === null ? exitCodes.finished : exitCodes.failed;
}

async function difference(record: SessionRecord, store: Store | null): Promise<Fault> {
  if (store === null)
    return { seq: record.head, reason: 'every event is as exported, and they lead elsewhere now' };
  return {
    seq: await firstDifference(store, record),
    reason: 'from there on the store opens another session',
  };
}

type Told = {
  readonly id: string;
  readonly events: number;
  readonly status: Parameters<typeof statusText>[0];
  readonly stateHash: string;
  readonly expected: string;
  readonly differsAt: number | null;
  readonly reason: string | null;
};

function textOf(
  { id, events, status, stateHash: hash, expected, differsAt, reason }: Told,
  isFile: boolean,
): string {
  const whose = isFile ? 'what the file says' : 'what the store opens';
  return [
    `Replayed ${counted(events, 'event')} of ${visibleLine(id)}.`,
    `  state       ${statusText(status)}`,
    `  state hash  ${hash}`,
    ...(differsAt === null
      ? [`The same as ${whose}.`]
      : [
          `  expected    ${expected}`,
          `Not the same as ${whose}: it differs at event ${differsAt}; ${reason ?? ''}.`,
          ...(isFile
            ? []
            : ['A snapshot may be of another version of Pawl; the events are as they were kept.']),
        ]),
  ].join('\n');
}
