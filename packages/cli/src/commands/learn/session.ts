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
import { getMetadataText, type SessionSummary } from '@pawl/runtime/store';
import type { TrainingRun } from './training-run.ts';
import type { StuckJudgment } from './detector-score.ts';
import { surveySession } from '../../sessions/session-totals.ts';
import { describeSessionEnding } from '../../sessions/session-ending.ts';
import type { SessionReplay } from '../../sessions/session-replay.ts';
import type { SessionVerdictFeedback } from '../../sessions/verdict-feedback.ts';

/** Converts a stored session to a training run; its steps are numbered by event. */
export async function toTrainingRun(
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
