import { createHash } from 'node:crypto';
import { isJudgedOutcome, type ToolCall, type Event, type Json } from '@pawl/core';
import type { RecordedRun, RecordedStep } from '@pawl/governor/traces';
import { getMetadataText, type SessionSummary } from '@pawl/runtime/store';
import type { TrainingRun } from '../learn/training-run.ts';
import type { StuckJudgment } from '../learn/detector-score.ts';
import { computeSessionTotals } from './session-totals.ts';
import { deriveSessionEnding, type SessionEnding } from './session-ending.ts';
import { findExecution } from './session-timeline.ts';
import type { SessionReplay, ReplayedEvent } from './session-replay.ts';
import { listVerdicts } from './step-record.ts';
import type { SessionVerdictFeedback } from './verdict-feedback.ts';

/** Converts a stored session to a training run; its steps are numbered by event. */
export async function toTrainingRun(
  summary: SessionSummary,
  replay: SessionReplay,
  marks: readonly SessionVerdictFeedback[],
): Promise<TrainingRun> {
  const tally: TrainingTally = { steps: [], modes: new Map(), verdicts: [] };
  const totals = await computeSessionTotals({
    created: replay.created,
    walked: tallyTrainingSteps(replay.walked, tally),
  });
  const { id, metadata } = summary;
  const run: RecordedRun = { id, steps: tally.steps };
  const isWrong = totals.verdict !== null && isRatedWrong(totals.verdict, marks);
  return {
    run,
    source: getMetadataText(metadata, 'dir') ?? 'sessions without a folder',
    success: isWrong ? null : inferSuccess(deriveSessionEnding(totals).how),
    judgement: deriveStuckJudgment(tally, marks),
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
  events: AsyncIterable<ReplayedEvent>,
  tally: TrainingTally,
): AsyncGenerator<ReplayedEvent> {
  for await (const replayed of events) {
    const step = toTrainingStep(replayed);
    if (step !== null) tally.steps.push(step);
    const { mode } = replayed.before;
    if (step !== null && mode !== null) tally.modes.set(step.i, mode.state);
    for (const { seq, rule, evidence } of listVerdicts(replayed))
      tally.verdicts.push({ seq, rule, from: evidence[0] ?? seq });
    yield replayed;
  }
}

/** Converts what the governor observes to a recorded step: a tool call with its result, or text. */
function toTrainingStep({ seq, event, before }: ReplayedEvent): RecordedStep | null {
  switch (event.type) {
    case 'user-message':
      return event.automatic === true ? null : { i: seq, role: 'user', ...truncateStepText(event.text) };
    case 'steered':
      return { i: seq, role: 'user', ...truncateStepText(event.text) };
    case 'model-replied': {
      const isText = event.calls.length === 0 && event.problem === undefined;
      return isText ? { i: seq, role: 'assistant', at: event.at, ...truncateStepText(event.text) } : null;
    }
    case 'tool-finished':
      return toCallStep(seq, event, findExecution(before.turn, event.callId)?.call);
    default:
      return null;
  }
}

function toCallStep(
  i: number,
  { at, outcome }: Extract<Event, { readonly type: 'tool-finished' }>,
  call: ToolCall | undefined,
): RecordedStep | null {
  if (call === undefined || !isJudgedOutcome(outcome.ok ? undefined : outcome.error.kind)) return null;
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
