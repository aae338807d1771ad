import { StoreError, type SessionSummary, type Store } from '@pawl/runtime/store';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { openConfiguredStore, type SessionFlags } from '../../sessions/store-option.ts';
import { writeFileAtomically, isGeneratedFile } from '../../output/atomic-file.ts';
import { LineOutput } from '../../output/line-output.ts';
import { listAllSessions, selectSessions, resolveRealFolder } from '../../sessions/find-session.ts';
import { openSessionReplay } from '../../sessions/session-replay.ts';
import { statsHtmlMarker, renderStatsHtml } from './html.ts';
import { computeSessionStats, type SessionStats } from './session.ts';
import { aggregateStats, type AggregateStats } from './aggregate.ts';
import { formatStats } from './text.ts';
import type { FeedbackReadResult } from '../../sessions/verdict-feedback.ts';
import { getOutputWidth } from '../../output/columns.ts';
import { formatCount } from '../../output/format-number.ts';

export type StatsOptions = SessionFlags & {
  readonly all?: boolean | undefined;
  /** The file to write the HTML report to. */
  readonly html?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Shows statistics about the sessions of this folder, or of all. */
export async function showStats(options: StatsOptions, io: CommandIo): Promise<ExitCode> {
  const opened = await openConfiguredStore(options);
  try {
    const { store, marks } = opened;
    const all = await listAllSessions(store);
    const selected = selectSessions(all, options);
    const loaded = await readAllStats(store, selected, { signal: options.signal, io });
    if (loaded === null) return exitCodes.interrupted;
    const feedback = (await marks?.read(selected.map(({ id }) => id))) ?? { marks: [], unread: 0 };
    const stats = aggregateStats(loaded.stats, {
      damaged: loaded.damaged,
      marks: filterFeedback(selected, feedback, options),
    });
    const output = new LineOutput(io.stdout);
    if (options.json === true) await output.write(JSON.stringify({ type: 'stats', ...stats }));
    else for (const line of formatStats(stats, getOutputWidth(io.stdout))) await output.write(line);
    if (options.html !== undefined) await writeStatsHtml(options.html, stats, options, io);
    for (const line of formatStatsRemarks(feedback, all.length - selected.length))
      io.stderr.write(`${line}\n`);
    return exitCodes.finished;
  } finally {
    await opened.close();
  }
}

async function writeStatsHtml(
  path: string,
  stats: AggregateStats,
  options: StatsOptions,
  io: CommandIo,
): Promise<void> {
  const where = options.all === true ? 'all folders' : resolveRealFolder(options.dir);
  await writeFileAtomically(
    path,
    renderStatsHtml(stats, { at: Date.now(), where }),
    await isGeneratedFile(path, statsHtmlMarker),
  );
  io.stderr.write(`Wrote ${JSON.stringify(path)}.\n`);
}

type LoadedStats = { readonly stats: readonly SessionStats[]; readonly damaged: number };

/** Null if the user cancelled. */
async function readAllStats(
  store: Store,
  sessions: readonly SessionSummary[],
  { signal, io }: { readonly signal: AbortSignal | undefined; readonly io: CommandIo },
): Promise<LoadedStats | null> {
  const line = createProgressLine(io.stderr);
  const stats: SessionStats[] = [];
  let damaged = 0;
  for (const [index, summary] of sessions.entries()) {
    line.show(`Reading session ${index + 1} of ${sessions.length} …`);
    const loaded = await readSessionStats(store, summary);
    if (loaded === null) damaged += 1;
    else stats.push(loaded);
    if (signal?.aborted === true) break;
  }
  line.clear();
  return signal?.aborted === true ? null : { stats, damaged };
}

/** Null for an unreadable session; the others still count. */
async function readSessionStats(store: Store, summary: SessionSummary): Promise<SessionStats | null> {
  if (summary.status === 'damaged') return null;
  try {
    return await computeSessionStats(summary, await openSessionReplay(store, summary.id, summary.head));
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

function filterFeedback(
  selected: readonly SessionSummary[],
  { marks }: FeedbackReadResult,
  { all }: StatsOptions,
): FeedbackReadResult['marks'] {
  if (all === true) return marks;
  const ids = new Set(selected.map(({ id }) => id));
  return marks.filter(({ session }) => ids.has(session));
}

function formatStatsRemarks({ unread }: FeedbackReadResult, elsewhere: number): readonly string[] {
  return [
    ...(elsewhere > 0
      ? [`${formatCount(elsewhere, 'session')} in other folders; use --all to include them.`]
      : []),
    ...(unread > 0 ? [`${formatCount(unread, 'unreadable verdict mark')} ignored.`] : []),
  ];
}
