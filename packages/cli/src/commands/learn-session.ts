import { createHash } from 'node:crypto';
import { counts, type Call, type Event, type Json, type RecordedRun, type RecordedStep } from '@pawl/core';
import { textAbout, type SessionSummary } from '@pawl/runtime';
import type { LearntRun } from '../learn/run-facts.ts';
import type { Judgement } from '../learn/score.ts';
import { accountOf } from './show-account.ts';
import { endingOf, type Ending } from './show-ending.ts';
import { executionOf } from './show-timeline.ts';
import type { Walk, Walked } from './show-walk.ts';
import { verdictsIn } from './show-why-step.ts';
import type { VerdictMark } from './verdict-marks.ts';

/** A kept session as a run to learn from. Its steps have the numbers of their events. */
export async function learntSession(
  summary: SessionSummary,
  walk: Walk,
  marks: readonly VerdictMark[],
): Promise<LearntRun> {
  const tally: Tally = { steps: [], modes: new Map(), verdicts: [] };
  const account = await accountOf({ created: walk.created, walked: seen(walk.walked, tally) });
  const { id, about } = summary;
  const run: RecordedRun = { id, steps: tally.steps };
  const isWrong = account.verdict !== null && isMarkedWrong(account.verdict, marks);
  return {
    run,
    source: textAbout(about, 'dir') ?? 'sessions without a folder',
    success: isWrong ? null : successOf(endingOf(account).how),
    judgement: judgementOf(tally, marks),
    modes: tally.modes,
  };
}

/**
 * An answer is the best that is known of a session nobody has labelled; to be stopped for going round in circles, or to have
 * used up its budget, the worst. What was called off or failed for other reasons says nothing.
 */
function successOf(how: Ending['how']): boolean | null {
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

function isMarkedWrong(
  { seq, verdict }: { readonly seq: number; readonly verdict: { readonly rule: string } },
  marks: readonly VerdictMark[],
): boolean {
  return marks.some((each) => each.seq === seq && each.rule === verdict.rule && each.mark === 'wrong');
}

/** A verdict that was right shows where the run got stuck. Where people found only wrong ones, it was not. */
function judgementOf({ verdicts }: Tally, marks: readonly VerdictMark[]): Judgement | null {
  const right = marks.find(({ mark }) => mark === 'right');
  if (right !== undefined) {
    const meant = verdicts.find(({ seq, rule }) => seq === right.seq && rule === right.rule);
    return { stuck: true, from: meant?.from ?? right.seq };
  }
  return marks.length === 0 ? null : { stuck: false, from: 0 };
}

type Tally = {
  readonly steps: RecordedStep[];
  readonly modes: Map<number, string>;
  readonly verdicts: { readonly seq: number; readonly rule: string; readonly from: number }[];
};

async function* seen(walked: AsyncIterable<Walked>, tally: Tally): AsyncGenerator<Walked> {
  for await (const each of walked) {
    const step = stepOf(each);
    if (step !== null) tally.steps.push(step);
    const { mode } = each.before;
    if (step !== null && mode !== null) tally.modes.set(step.i, mode.state);
    for (const { seq, rule, evidence } of verdictsIn(each))
      tally.verdicts.push({ seq, rule, from: evidence[0] ?? seq });
    yield each;
  }
}

/** What the governor looks at, as it is recorded elsewhere: a call with its outcome, or words. */
function stepOf({ seq, event, before }: Walked): RecordedStep | null {
  switch (event.type) {
    case 'user-message':
      return event.automatic === true ? null : { i: seq, role: 'user', ...cutText(event.text) };
    case 'steered':
      return { i: seq, role: 'user', ...cutText(event.text) };
    case 'model-replied': {
      const isTalk = event.calls.length === 0 && event.problem === undefined;
      return isTalk ? { i: seq, role: 'assistant', at: event.at, ...cutText(event.text) } : null;
    }
    case 'tool-finished':
      return callStep(seq, event, executionOf(before.turn, event.callId)?.call);
    default:
      return null;
  }
}

function callStep(
  i: number,
  { at, outcome }: Extract<Event, { readonly type: 'tool-finished' }>,
  call: Call | undefined,
): RecordedStep | null {
  if (call === undefined || !counts(outcome.ok ? undefined : outcome.error.kind)) return null;
  const said = cut(outcome.ok ? outcome.output : outcome.error.message);
  const args = cut(call.args);
  return {
    i,
    role: 'assistant',
    at,
    tool: call.tool,
    args: args.value,
    ...(args.hash !== undefined && { argsHash: args.hash }),
    result: said.value,
    ...(said.hash !== undefined && { resultHash: said.hash }),
    error: !outcome.ok,
  };
}

/** As in recorded runs: of what is longer only the beginning is held, and a fingerprint of the whole. */
const charactersMax = 2_000;

function cut(value: Json): { readonly value: Json; readonly hash?: string } {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= charactersMax) return { value };
  return { value: text.slice(0, charactersMax), hash: hashOf(text) };
}

function cutText(text: string): Pick<RecordedStep, 'text' | 'textHash'> {
  if (text.length <= charactersMax) return { text };
  return { text: text.slice(0, charactersMax), textHash: hashOf(text) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
