import { readTraces, StoreError, TraceSourceError, type SessionSummary, type Store } from '@pawl/runtime';
import type { CommandIo } from '../command-io.ts';
import type { TrainingRun } from '../learn/training-run.ts';
import { createProgressLine } from '../progress-line.ts';
import { openConfiguredStore } from '../store-option.ts';
import { toUsageError } from '../usage-error.ts';
import { createProblemReporter } from './audit-problems.ts';
import type { RunLabel } from './learn-labels.ts';
import { toTrainingRun } from './learn-session.ts';
import { listAllSessions, selectSessions } from './find-session.ts';
import type { SessionFlags } from './session-store.ts';
import { openSessionReplay } from './session-replay.ts';
import type { SessionVerdictFeedback } from './verdict-feedback.ts';
import { formatReadingProgress } from './audit.ts';

export type TrainingRunOptions = SessionFlags & {
  readonly traces: readonly string[];
  readonly all?: boolean | undefined;
  readonly labels: ReadonlyMap<string, RunLabel>;
  readonly signal?: AbortSignal | undefined;
};

/** Reads all training runs one at a time: stored sessions first, then recorded runs. Duplicates count once. */
export async function* readTrainingRuns(
  options: TrainingRunOptions,
  io: CommandIo,
): AsyncGenerator<TrainingRun, void, undefined> {
  const keys = new Set<string>();
  for await (const run of readAllRuns(options, io)) {
    if (options.signal?.aborted === true) return;
    const key = JSON.stringify([run.source, run.run.id]);
    if (keys.has(key)) continue;
    keys.add(key);
    yield applyRunLabel(run, options.labels.get(run.run.id));
  }
}

async function* readAllRuns(
  options: TrainingRunOptions,
  io: CommandIo,
): AsyncGenerator<TrainingRun, void, undefined> {
  yield* readSessionRuns(options, io);
  yield* readTraceRuns(options, io);
}

/** A label overrides what the run itself says. */
function applyRunLabel(run: TrainingRun, label: RunLabel | undefined): TrainingRun {
  if (label === undefined) return run;
  const { resolved = run.success, judgement } = label;
  return { ...run, success: resolved, judgement: judgement ?? run.judgement };
}

async function* readSessionRuns(
  options: TrainingRunOptions,
  io: CommandIo,
): AsyncGenerator<TrainingRun, void, undefined> {
  const opened = await openConfiguredStore(options);
  const progress = createProgressLine(io.stderr);
  try {
    const { store } = opened;
    const all = await listAllSessions(store);
    const selected = selectSessions(all, options);
    const feedback = await opened.marks?.read(selected.map(({ id }) => id));
    const marks = Map.groupBy(feedback?.marks ?? [], ({ session }) => session);
    let damaged = 0;
    for (const [index, summary] of selected.entries()) {
      progress.show(`Reading session ${index + 1} of ${selected.length} …`);
      const run = await readSessionRun(store, summary, marks.get(summary.id) ?? []);
      if (run === null) damaged += 1;
      else yield run;
    }
    progress.clear();
    if (damaged > 0) io.stderr.write(`Skipped unreadable sessions: ${damaged}.\n`);
  } finally {
    progress.clear();
    await opened.close();
  }
}

/** Null for an unreadable session; the others still count. */
async function readSessionRun(
  store: Store,
  summary: SessionSummary,
  marks: readonly SessionVerdictFeedback[],
): Promise<TrainingRun | null> {
  if (summary.status === 'damaged') return null;
  try {
    return await toTrainingRun(summary, await openSessionReplay(store, summary.id, summary.head), marks);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

async function* readTraceRuns(
  options: TrainingRunOptions,
  io: CommandIo,
): AsyncGenerator<TrainingRun, void, undefined> {
  if (options.traces.length === 0) return;
  const problems = createProblemReporter(io.stderr);
  const progress = createProgressLine(io.stderr);
  let runs = 0;
  const onProgress = (file: string, bytes: number): void =>
    progress.show(formatReadingProgress(runs, file, bytes));
  const { signal } = options;
  try {
    const readOptions = { stdin: io.stdin, onProgress, ...(signal !== undefined && { signal }) };
    for await (const item of readTraces(options.traces, readOptions)) {
      if ('problem' in item) {
        progress.clear();
        problems.report(item.problem);
        continue;
      }
      runs += 1;
      const { run, file } = item;
      yield { run, source: run.source ?? file, success: run.success ?? null, judgement: null };
    }
  } catch (error) {
    throw toUsageError(error, TraceSourceError);
  } finally {
    progress.clear();
    problems.end();
  }
}
