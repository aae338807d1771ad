import { StoreError, type SessionSummary, type Store, getMetadataText } from '@pawl/runtime/store';
import { readTraces, TraceSourceError } from '@pawl/runtime/traces';
import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import type { CommandIo } from '../../output/command-io.ts';
import type { TrainingRun } from './training-run.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { openConfiguredStore, type SessionFlags } from '../../sessions/store-option.ts';
import { toUsageError, UsageError } from '../../output/exit-codes.ts';
import { createProblemReporter, formatReadingProgress } from '../../output/trace-reading.ts';
import { listAllSessions, selectSessions } from '../../sessions/find-session.ts';
import { openSessionReplay, type SessionReplay, surveySession } from '../../sessions/session-replay.ts';
import type { SessionVerdictFeedback } from '../../sessions/verdict-feedback.ts';
import type { StuckJudgment } from './detector-score.ts';
import { createHash } from 'node:crypto';
import { isJudgedOutcome, type Json } from '@pawl/core';
import {
  listTranscriptItems,
  listVerdicts,
  type ReplayedStep,
  type SessionEnding,
  type TranscriptItem,
  type TranscriptItemOfKind,
} from '@pawl/core/projections';
import type { RecordedRun, RecordedStep } from '@pawl/governor/traces';
import { describeSessionEnding } from '../../sessions/session-ending.ts';

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

/** Converts a stored session to a training run; its steps are numbered by event. */
async function toTrainingRun(
  summary: SessionSummary,
  replay: SessionReplay,
  marks: readonly SessionVerdictFeedback[],
): Promise<TrainingRun> {
  const tally: TrainingTally = { steps: [], modes: new Map(), verdicts: [] };
  const survey = await surveySession({
    created: replay.created,
    walked: tallyTrainingSteps(replay.walked, tally),
  });
  const { id, metadata } = summary;
  const run: RecordedRun = { id, steps: tally.steps };
  const { verdict } = survey.outcome;
  const isWrong = verdict !== null && isRatedWrong(verdict, marks);
  return {
    run,
    source: getMetadataText(metadata, 'dir') ?? 'sessions without a folder',
    success: isWrong ? null : inferSuccess(describeSessionEnding(survey).how),
    judgment: deriveStuckJudgment(tally, marks),
    modes: tally.modes,
  };
}

/**
 * Without a label, an answer is the best evidence of success, and a stop for being stuck or over budget the best
 * evidence of failure. Cancelled sessions and those that failed for other reasons say nothing.
 */
function inferSuccess(how: SessionEnding['how']): boolean | null {
  switch (how) {
    case 'answered':
      return true;
    case 'stuck':
    case 'budget':
      return false;
    case 'halted':
    case 'failed':
    case 'shut-down':
    case 'unfinished':
    case 'unused':
      return null;
    default:
      return how satisfies never;
  }
}

function isRatedWrong(
  { seq, verdict }: { readonly seq: number; readonly verdict: { readonly rule: string } },
  marks: readonly SessionVerdictFeedback[],
): boolean {
  return marks.some((each) => each.seq === seq && each.rule === verdict.rule && each.mark === 'wrong');
}

/** A verdict marked right shows where the run got stuck. If all marked verdicts were wrong, it was not stuck. */
function deriveStuckJudgment(
  { verdicts }: TrainingTally,
  marks: readonly SessionVerdictFeedback[],
): StuckJudgment | null {
  const right = marks.find(({ mark }) => mark === 'right');
  if (right !== undefined) {
    const verdict = verdicts.find(({ seq, rule }) => seq === right.seq && rule === right.rule);
    return { stuck: true, from: verdict?.from ?? right.seq };
  }
  return marks.length === 0 ? null : { stuck: false, from: 0 };
}

type TrainingTally = {
  readonly steps: RecordedStep[];
  readonly modes: Map<number, string>;
  readonly verdicts: { readonly seq: number; readonly rule: string; readonly from: number }[];
};

async function* tallyTrainingSteps(
  events: AsyncIterable<ReplayedStep>,
  tally: TrainingTally,
): AsyncGenerator<ReplayedStep> {
  for await (const replayed of events) {
    const steps = listTranscriptItems(replayed).flatMap((item) => toTrainingStep(item) ?? []);
    tally.steps.push(...steps);
    const { mode } = replayed.before;
    if (mode !== null) for (const { i } of steps) tally.modes.set(i, mode.state);
    for (const { seq, rule, evidence } of listVerdicts(replayed))
      tally.verdicts.push({ seq, rule, from: evidence[0] ?? seq });
    yield replayed;
  }
}

/** Converts what the governor observes to a recorded step: a tool call with its result, or text. */
function toTrainingStep(item: TranscriptItem): RecordedStep | null {
  const { seq: i } = item;
  switch (item.kind) {
    case 'message':
      return item.author === 'automatic' ? null : { i, role: 'user', ...truncateStepText(item.text) };
    case 'reply': {
      const isText = item.calls.length === 0 && item.problem === undefined;
      return isText ? { i, role: 'assistant', at: item.at, ...truncateStepText(item.text) } : null;
    }
    case 'tool-result':
      return toCallStep(item);
    default:
      return null;
  }
}

function toCallStep({ seq: i, at, call, outcome }: TranscriptItemOfKind<'tool-result'>): RecordedStep | null {
  if (call === null || !isJudgedOutcome(outcome.ok ? undefined : outcome.error.kind)) return null;
  const result = truncateStepValue(outcome.ok ? outcome.output : outcome.error.message);
  const args = truncateStepValue(call.args);
  return {
    i,
    role: 'assistant',
    at,
    tool: call.tool,
    args: args.value,
    ...(args.hash !== undefined && { argsHash: args.hash }),
    result: result.value,
    ...(result.hash !== undefined && { resultHash: result.hash }),
    error: !outcome.ok,
  };
}

/** Longer texts are truncated and hashed, as in recorded runs. */
const maxStepCharacters = 2_000;

function truncateStepValue(value: Json): { readonly value: Json; readonly hash?: string } {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= maxStepCharacters) return { value };
  return { value: text.slice(0, maxStepCharacters), hash: hashTextHex(text) };
}

function truncateStepText(text: string): Pick<RecordedStep, 'text' | 'textHash'> {
  if (text.length <= maxStepCharacters) return { text };
  return { text: text.slice(0, maxStepCharacters), textHash: hashTextHex(text) };
}

function hashTextHex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
