import { StoreError, type SessionSummary, type Store } from '@pawl/runtime/store';
import { readTraces, TraceSourceError } from '@pawl/runtime/traces';
import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import type { CommandIo } from '../../command-io.ts';
import type { TrainingRun } from './training-run.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { openConfiguredStore, type SessionFlags } from '../../sessions/store-option.ts';
import { toUsageError, UsageError } from '../../exit-codes.ts';
import { createProblemReporter, formatReadingProgress } from '../../output/trace-reading.ts';
import { toTrainingRun } from './session.ts';
import { listAllSessions, selectSessions } from '../../sessions/find-session.ts';
import { openSessionReplay } from '../../sessions/session-replay.ts';
import type { SessionVerdictFeedback } from '../../sessions/verdict-feedback.ts';
import type { StuckJudgment } from './detector-score.ts';

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
  const { resolved = run.success, judgment } = label;
  return { ...run, success: resolved, judgment: judgment ?? run.judgment };
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
      yield { run, source: run.source ?? file, success: run.success ?? null, judgment: null };
    }
  } catch (error) {
    throw toUsageError(error, TraceSourceError);
  } finally {
    progress.clear();
    problems.end();
  }
}

/** A person's label for a run: whether it was solved, and whether it was stuck, from which step on. */
type RunLabel = {
  readonly resolved?: boolean | null | undefined;
  readonly judgment: StuckJudgment | null;
};

const labelSchema = z
  .object({
    run: z.string().optional(),
    id: z.string().optional(),
    resolved: z.boolean().nullish(),
    success: z.boolean().nullish(),
    stuck: z.boolean().optional(),
    from: z.number().nullish(),
    from_step: z.number().nullish(),
  })
  .refine(({ run, id }) => (run ?? id) !== undefined, 'it does not name a run');

const maxLabelBytes = 256 * 1024 * 1024;

/** Reads labels by run id, from JSON lines or from one JSON array. */
export async function readLabels(path: string): Promise<ReadonlyMap<string, RunLabel>> {
  const rows = parseLabelEntries(await readLabelText(path));
  const labels = new Map<string, RunLabel>();
  for (const { location, value } of rows) {
    const parsed = labelSchema.safeParse(value);
    if (!parsed.success) {
      const reason = parsed.error.issues[0]?.message ?? 'it is not a label';
      throw new UsageError(
        `${JSON.stringify(path)}, ${location}: ${reason}. Expected {"run": "ID", "resolved": true}, optionally with "stuck" and "from".`,
      );
    }
    const { run, id, stuck, ...rest } = parsed.data;
    const from = rest.from ?? rest.from_step ?? 0;
    const resolved = rest.resolved === undefined ? rest.success : rest.resolved;
    labels.set(run ?? id ?? '', { resolved, judgment: stuck === undefined ? null : { stuck, from } });
  }
  return labels;
}

async function readLabelText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > maxLabelBytes) throw new Error(`it is larger than ${maxLabelBytes / 1024 / 1024} MB`);
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot read the labels in ${JSON.stringify(path)}: ${reason}`, { cause: error });
  }
}

type LabelEntry = { readonly location: string; readonly value: unknown };

function parseLabelEntries(text: string): readonly LabelEntry[] {
  const whole = text.trimStart().startsWith('[') ? parseJsonOrUndefined(text) : undefined;
  if (Array.isArray(whole)) return whole.map((value, index) => ({ location: `entry ${index + 1}`, value }));
  return text
    .split('\n')
    .flatMap((row, index) =>
      row.trim() === '' ? [] : [{ location: `line ${index + 1}`, value: parseJsonOrUndefined(row) }],
    );
}

/** Text that is not JSON is reported as an invalid label. */
function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
