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
  reading: TrainingRunOptions,
  io: CommandIo,
): AsyncGenerator<TrainingRun, void, undefined> {
  const known = new Set<string>();
  for await (const learnt of readAllRuns(reading, io)) {
    if (reading.signal?.aborted === true) return;
    const name = JSON.stringify([learnt.source, learnt.run.id]);
    if (known.has(name)) continue;
    known.add(name);
    yield applyRunLabel(learnt, reading.labels.get(learnt.run.id));
  }
}

async function* readAllRuns(
  reading: TrainingRunOptions,
  io: CommandIo,
): AsyncGenerator<TrainingRun, void, undefined> {
  yield* readSessionRuns(reading, io);
  yield* readTraceRuns(reading, io);
}

/** A label overrides what the run itself says. */
function applyRunLabel(learnt: TrainingRun, label: RunLabel | undefined): TrainingRun {
  if (label === undefined) return learnt;
  const { resolved = learnt.success, judgement } = label;
  return { ...learnt, success: resolved, judgement: judgement ?? learnt.judgement };
}

async function* readSessionRuns(
  reading: TrainingRunOptions,
  io: CommandIo,
): AsyncGenerator<TrainingRun, void, undefined> {
  const opened = await openConfiguredStore(reading);
  const progress = createProgressLine(io.stderr);
  try {
    const { store } = opened;
    const all = await listAllSessions(store);
    const meant = selectSessions(all, reading);
    const kept = await opened.marks?.read(meant.map(({ id }) => id));
    const marks = Map.groupBy(kept?.marks ?? [], ({ session }) => session);
    let damaged = 0;
    for (const [index, summary] of meant.entries()) {
      progress.show(`Reading session ${index + 1} of ${meant.length} …`);
      const learnt = await readSessionRun(store, summary, marks.get(summary.id) ?? []);
      if (learnt === null) damaged += 1;
      else yield learnt;
    }
    progress.clear();
    if (damaged > 0) io.stderr.write(`Sessions that cannot be read and are left out: ${damaged}.\n`);
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
  reading: TrainingRunOptions,
  io: CommandIo,
): AsyncGenerator<TrainingRun, void, undefined> {
  if (reading.traces.length === 0) return;
  const problems = createProblemReporter(io.stderr);
  const progress = createProgressLine(io.stderr);
  let runs = 0;
  const onProgress = (file: string, bytes: number): void =>
    progress.show(formatReadingProgress(runs, file, bytes));
  const { signal } = reading;
  try {
    const options = { stdin: io.stdin, onProgress, ...(signal !== undefined && { signal }) };
    for await (const item of readTraces(reading.traces, options)) {
      if ('problem' in item) {
        progress.clear();
        problems.tell(item.problem);
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
