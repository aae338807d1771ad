import { createHash } from 'node:crypto';
import { getConversation, type Note, type Session, type TurnStatus, type Verdict } from '@pawl/core';
import type { ModeChange } from '@pawl/core/modes';
import {
  countBlockedCalls,
  isTurnEndingResponse,
  listTranscriptItems,
  listVerdicts,
  type ReplayedStep,
  type SessionEnding,
  type SessionTotals,
  type TranscriptItem,
  type TranscriptItemOfKind,
} from '@pawl/core/projections';
import { getMetadataText, type SessionSummary } from '@pawl/runtime/store';
import { surveySession, type SessionReplay } from '../../sessions/session-replay.ts';
import { describeSessionEnding } from '../../sessions/session-ending.ts';

/** The statistics of one session. */
export type SessionStats = Pick<
  SessionTotals,
  'modelFailures' | 'toolCalls' | 'inputTokens' | 'outputTokens' | 'cost'
> & {
  readonly id: string;
  readonly steps: number;
  readonly goal: string | null;
  readonly createdAt: number;
  readonly profile: string;
  readonly model: string | null;
  readonly status: TurnStatus;
  readonly how: SessionEnding['how'];
  /** Steps with progress: a call with a new result, or an answer. */
  readonly effective: number;
  readonly stays: readonly StateStay[];
  readonly moves: readonly ModeChange[];
  readonly loops: readonly RuleLoop[];
  readonly verdicts: readonly { readonly rule: string; readonly ended: boolean }[];
  /** How often the governor blocked a refused call. */
  readonly refusedCalls: number;
  readonly calls: readonly CallStats[];
};

/** Time spent in a state of the turn or of the mode. */
export type StateStay = { readonly machine: 'turn' | 'mode'; readonly state: string; readonly ms: number };

/** Steps and tokens spent from the first repetition up to the last verdict on the loop. */
export type RuleLoop = { readonly rule: string; readonly steps: number; readonly tokens: number };

export type CallStats = {
  readonly tool: string;
  readonly ok: boolean;
  /** Whether the result was new since the last user message. */
  readonly news: boolean;
  readonly ms: number | null;
};

/** Computes the statistics in one pass over the log. */
export async function computeSessionStats(
  summary: SessionSummary,
  replay: SessionReplay,
): Promise<SessionStats> {
  const tally = createStatsTally();
  const survey = await surveySession({
    created: replay.created,
    walked: tallyReplayedSteps(replay.walked, tally),
  });
  const { replies: steps, modelFailures, toolCalls, inputTokens, outputTokens, cost } = survey.totals;
  const { effective, stays, moves, verdicts, refusedCalls, calls } = tally;
  return {
    steps,
    effective,
    modelFailures,
    toolCalls,
    inputTokens,
    outputTokens,
    cost,
    stays,
    moves,
    verdicts,
    refusedCalls,
    calls,
    id: summary.id,
    goal: summary.goal,
    createdAt: summary.createdAt,
    profile: summary.profile,
    model: getMetadataText(summary.metadata, 'model'),
    status: survey.end.turn.status,
    how: describeSessionEnding(survey).how,
    loops: buildRuleLoops(tally),
  };
}

type StatsTally = {
  effective: number;
  refusedCalls: number;
  /** Whether the current step has already counted as effective. */
  isCounted: boolean;
  readonly known: Set<string>;
  readonly stays: StateStay[];
  readonly moves: ModeChange[];
  readonly verdicts: { readonly rule: string; readonly ended: boolean }[];
  readonly calls: CallStats[];
  readonly spans: { readonly rule: string; readonly from: number; readonly to: number }[];
  readonly replies: { readonly seq: number; readonly tokens: number }[];
};

function createStatsTally(): StatsTally {
  return {
    effective: 0,
    refusedCalls: 0,
    isCounted: true,
    known: new Set(),
    stays: [],
    moves: [],
    verdicts: [],
    calls: [],
    spans: [],
    replies: [],
  };
}

async function* tallyReplayedSteps(
  walked: AsyncIterable<ReplayedStep>,
  tally: StatsTally,
): AsyncGenerator<ReplayedStep> {
  for await (const each of walked) {
    tallyStep(tally, each);
    yield each;
  }
}

function tallyStep(tally: StatsTally, each: ReplayedStep): void {
  const { before, after } = each;
  for (const item of listTranscriptItems(each)) tallyItem(tally, item);
  for (const note of after.notes) tallyNote(tally, note, before);
  for (const verdict of listVerdicts(each)) tallyVerdict(tally, verdict);
  tally.refusedCalls += countBlockedCalls(each);
}

function tallyItem(tally: StatsTally, item: TranscriptItem): void {
  if (item.kind === 'message' && item.author === 'user') tally.known.clear();
  if (item.kind === 'reply') tallyReply(tally, item);
  if (item.kind === 'tool-result') tallyCall(tally, item);
}

function tallyNote(tally: StatsTally, note: Note, before: Session): void {
  if (note.type !== 'transition' && note.type !== 'mode') return;
  const { from: state, durationMs } = note;
  const machine = note.type === 'mode' ? 'mode' : 'turn';
  if (note.type === 'mode') tally.moves.push(note);
  // Nothing waits before the first user message.
  else if (getConversation(before).length === 0) return;
  tally.stays.push({ machine, state, ms: Math.max(0, durationMs) });
}

function tallyVerdict(tally: StatsTally, { rule, response, evidence, seq }: Verdict & { seq: number }): void {
  // An exhausted budget is not a loop.
  if (rule === 'budget') return;
  const ended = isTurnEndingResponse(response);
  tally.verdicts.push({ rule, ended });
  const [from] = evidence;
  if (from !== undefined) tally.spans.push({ rule, from, to: seq });
}

function tallyReply(
  tally: StatsTally,
  { seq, text, calls, problem, usage }: TranscriptItemOfKind<'reply'>,
): void {
  tally.replies.push({ seq, tokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) });
  const isAnswer = problem === undefined && calls.length === 0 && text.trim() !== '';
  tally.isCounted = isAnswer;
  if (isAnswer) tally.effective += 1;
}

function tallyCall(tally: StatsTally, { call, outcome, tookMs }: TranscriptItemOfKind<'tool-result'>): void {
  if (call === null) return;
  const { tool, args } = call;
  const name = createHash('sha256')
    .update(JSON.stringify([tool, args, outcome]))
    .digest('base64');
  const news = outcome.ok && !tally.known.has(name);
  tally.known.add(name);
  tally.calls.push({ tool, ok: outcome.ok, news, ms: tookMs });
  if (!news || tally.isCounted) return;
  tally.isCounted = true;
  tally.effective += 1;
}

/** Overlapping verdicts of one rule count as one loop. */
function buildRuleLoops({ spans, replies }: StatsTally): readonly RuleLoop[] {
  return [...Map.groupBy(spans, ({ rule }) => rule).entries()].flatMap(([rule, all]) =>
    mergeSpans(all).map(({ from, to }) => {
      const within = replies.filter(({ seq }) => seq > from && seq <= to);
      return { rule, steps: within.length, tokens: within.reduce((sum, { tokens }) => sum + tokens, 0) };
    }),
  );
}

type EventSpan = { readonly from: number; readonly to: number };

function mergeSpans(spans: readonly EventSpan[]): readonly EventSpan[] {
  const result: EventSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = result.at(-1);
    if (last !== undefined && span.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else result.push(span);
  }
  return result;
}
