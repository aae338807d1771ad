import { StoreError, type SessionSummary, type Store } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { progressLine } from '../progress-line.ts';
import { openStoreFor } from '../store-option.ts';
import { writeWhole } from '../whole-file.ts';
import { isOwnFile } from './own-file.ts';
import { LineOutput } from './line-output.ts';
import { allSessions, sessionsMeant, realFolder } from './session-named.ts';
import type { SessionFlags } from './session-store.ts';
import { walkSession } from './show-walk.ts';
import { htmlMark, statsHtml } from './stats-html.ts';
import { statsOf, type SessionStats } from './stats-session.ts';
import { sumOf, type Stats } from './stats-sum.ts';
import { statsLines } from './stats-text.ts';
import type { VerdictMarks } from './verdict-marks.ts';
import { widthOf } from './columns.ts';
import { counted } from './number-text.ts';

export type StatsOptions = SessionFlags & {
  readonly all?: boolean | undefined;
  /** Where a page with plots is to be written. */
  readonly html?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Numbers about the sessions of this folder, or of all. */
export async function showStats(options: StatsOptions, io: Io): Promise<ExitCode> {
  const opened = await openStoreFor(options);
  try {
    const { store, marks } = opened;
    const all = await allSessions(store);
    const meant = sessionsMeant(all, options);
    const read = await readAll(store, meant, { signal: options.signal, io });
    if (read === null) return exitCodes.interrupted;
    const kept = (await marks?.read(meant.map(({ id }) => id))) ?? { marks: [], unread: 0 };
    const stats = sumOf(read.stats, { damaged: read.damaged, marks: marksOn(meant, kept, options) });
    const output = new LineOutput(io.stdout);
    if (options.json === true) await output.write(JSON.stringify({ type: 'stats', ...stats }));
    else for (const line of statsLines(stats, widthOf(io.stdout))) await output.write(line);
    if (options.html !== undefined) await writeHtml(options.html, stats, options, io);
    for (const line of remarks(kept, all.length - meant.length)) io.stderr.write(`${line}\n`);
    return exitCodes.finished;
  } finally {
    await opened.close();
  }
}

async function writeHtml(path: string, stats: Stats, options: StatsOptions, io: Io): Promise<void> {
  const where = options.all === true ? 'all folders' : realFolder(options.dir);
  await writeWhole(path, statsHtml(stats, { at: Date.now(), where }), await isOwnFile(path, htmlMark));
  io.stderr.write(`Wrote ${JSON.stringify(path)}.\n`);
}

type Read = { readonly stats: readonly SessionStats[]; readonly damaged: number };

/** Null when the user would not wait for it. */
async function readAll(
  store: Store,
  sessions: readonly SessionSummary[],
  { signal, io }: { readonly signal: AbortSignal | undefined; readonly io: Io },
): Promise<Read | null> {
  const line = progressLine(io.stderr);
  const stats: SessionStats[] = [];
  let damaged = 0;
  for (const [index, summary] of sessions.entries()) {
    line.show(`Reading session ${index + 1} of ${sessions.length} …`);
    const read = await readOne(store, summary);
    if (read === null) damaged += 1;
    else stats.push(read);
    if (signal?.aborted === true) break;
  }
  line.clear();
  return signal?.aborted === true ? null : { stats, damaged };
}

/** Null for a session that cannot be read; the others still count. */
async function readOne(store: Store, summary: SessionSummary): Promise<SessionStats | null> {
  if (summary.status === 'damaged') return null;
  try {
    return await statsOf(summary, await walkSession(store, summary.id, summary.head));
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

function marksOn(
  meant: readonly SessionSummary[],
  { marks }: VerdictMarks,
  { all }: StatsOptions,
): VerdictMarks['marks'] {
  if (all === true) return marks;
  const ids = new Set(meant.map(({ id }) => id));
  return marks.filter(({ session }) => ids.has(session));
}

function remarks({ unread }: VerdictMarks, elsewhere: number): readonly string[] {
  return [
    ...(elsewhere > 0
      ? [`${counted(elsewhere, 'session')} of other folders: --all counts them as well.`]
      : []),
    ...(unread > 0 ? [`${counted(unread, 'mark')} on verdicts cannot be read: left out.`] : []),
  ];
}
