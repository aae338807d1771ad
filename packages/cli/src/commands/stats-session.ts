import { createHash } from 'node:crypto';
import {
  conversationOf,
  type Event,
  type ModeMove,
  type Note,
  type Session,
  type TurnStatus,
  type Verdict,
} from '@pawl/core';
import { textAbout, type SessionSummary } from '@pawl/runtime';
import { accountOf, type Account, endsTurn } from './show-account.ts';
import { endingOf, type Ending } from './show-ending.ts';
import { durationOf, executionOf } from './show-timeline.ts';
import type { Walk, Walked } from './show-walk.ts';
import { verdictsIn } from './show-why-step.ts';

/** What one session adds to the numbers about all of them. */
export type SessionStats = Pick<
  Account,
  'steps' | 'modelFailures' | 'toolCalls' | 'inputTokens' | 'outputTokens' | 'cost'
> & {
  readonly id: string;
  readonly goal: string | null;
  readonly createdAt: number;
  readonly profile: string;
  readonly model: string | null;
  readonly status: TurnStatus;
  readonly how: Ending['how'];
  /** Steps that brought something: a call that came to what no call before had come to, or an answer. */
  readonly effective: number;
  readonly stays: readonly Stay[];
  readonly moves: readonly ModeMove[];
  readonly loops: readonly Loop[];
  readonly verdicts: readonly { readonly rule: string; readonly ended: boolean }[];
  /** How often the governor did not run a call that it had refused. */
  readonly refusedCalls: number;
  readonly calls: readonly CallStats[];
};

/** Some time in a state, of the turn or of the mode. */
export type Stay = { readonly machine: 'turn' | 'mode'; readonly state: string; readonly ms: number };

/** What was spent from the second time on until the last verdict on it. */
export type Loop = { readonly rule: string; readonly steps: number; readonly tokens: number };

export type CallStats = {
  readonly tool: string;
  readonly ok: boolean;
  /** Whether it came to what no call since the user spoke had come to. */
  readonly news: boolean;
  readonly ms: number | null;
};

/** Goes through a session once. */
export async function statsOf(summary: SessionSummary, walk: Walk): Promise<SessionStats> {
  const tally = newTally();
  const account = await accountOf({ created: walk.created, walked: counted(walk.walked, tally) });
  const { steps, modelFailures, toolCalls, inputTokens, outputTokens, cost } = account;
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
    model: textAbout(summary.about, 'model'),
    status: account.end.turn.status,
    how: endingOf(account).how,
    loops: loopsOf(tally),
  };
}

type Tally = {
  effective: number;
  refusedCalls: number;
  /** Whether the step at hand has been found to bring something. */
  isCounted: boolean;
  readonly known: Set<string>;
  readonly stays: Stay[];
  readonly moves: ModeMove[];
  readonly verdicts: { readonly rule: string; readonly ended: boolean }[];
  readonly calls: CallStats[];
  readonly spans: { readonly rule: string; readonly from: number; readonly to: number }[];
  readonly replies: { readonly seq: number; readonly tokens: number }[];
};

function newTally(): Tally {
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

async function* counted(walked: AsyncIterable<Walked>, tally: Tally): AsyncGenerator<Walked> {
  for await (const each of walked) {
    count(tally, each);
    yield each;
  }
}

function count(tally: Tally, each: Walked): void {
  const { event, before, after } = each;
  if (event.type === 'user-message' && event.automatic !== true) tally.known.clear();
  if (event.type === 'model-replied') countReply(tally, each.seq, event);
  if (event.type === 'tool-finished') countCall(tally, event, before);
  for (const note of after.notes) countNote(tally, note, before);
  for (const verdict of verdictsIn(each)) countVerdict(tally, verdict);
  tally.refusedCalls += refusedIn(before, after.session);
}

function countNote(tally: Tally, note: Note, before: Session): void {
  if (note.type !== 'transition' && note.type !== 'mode') return;
  const { from: state, durationMs } = note;
  const machine = note.type === 'mode' ? 'mode' : 'turn';
  if (note.type === 'mode') tally.moves.push(note);
  // Nobody has waited for what the user said first.
  else if (conversationOf(before).length === 0) return;
  tally.stays.push({ machine, state, ms: Math.max(0, durationMs) });
}

function countVerdict(tally: Tally, { rule, response, evidence, seq }: Verdict & { seq: number }): void {
  // A budget that is used up says nothing about going round in circles.
  if (rule === 'budget') return;
  const ended = endsTurn(response);
  tally.verdicts.push({ rule, ended });
  const [from] = evidence;
  if (from !== undefined) tally.spans.push({ rule, from, to: seq });
}

type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

function countReply(tally: Tally, seq: number, event: EventOf<'model-replied'>): void {
  const { text, calls, problem, usage } = event;
  tally.replies.push({ seq, tokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) });
  const isAnswer = problem === undefined && calls.length === 0 && text.trim() !== '';
  tally.isCounted = isAnswer;
  if (isAnswer) tally.effective += 1;
}

function countCall(tally: Tally, { at, callId, outcome }: EventOf<'tool-finished'>, before: Session): void {
  const execution = executionOf(before.turn, callId);
  if (execution === undefined) return;
  const { tool, args } = execution.call;
  const name = createHash('sha256')
    .update(JSON.stringify([tool, args, outcome]))
    .digest('base64');
  const news = outcome.ok && !tally.known.has(name);
  tally.known.add(name);
  tally.calls.push({ tool, ok: outcome.ok, news, ms: durationOf(execution, at) });
  if (!news || tally.isCounted) return;
  tally.isCounted = true;
  tally.effective += 1;
}

function refusedIn(before: Session, after: Session): number {
  if (after.governor.refused === before.governor.refused) return 0;
  const asked = new Map(before.governor.refused.map((each) => [each.call, each.asked]));
  return after.governor.refused.reduce(
    (sum, each) => sum + Math.max(0, each.asked - (asked.get(each.call) ?? 0)),
    0,
  );
}

/** Several verdicts on one loop, one graver than the other, are one loop. */
function loopsOf({ spans, replies }: Tally): readonly Loop[] {
  return [...Map.groupBy(spans, ({ rule }) => rule).entries()].flatMap(([rule, all]) =>
    joined(all).map(({ from, to }) => {
      const within = replies.filter(({ seq }) => seq > from && seq <= to);
      return { rule, steps: within.length, tokens: within.reduce((sum, { tokens }) => sum + tokens, 0) };
    }),
  );
}

type Span = { readonly from: number; readonly to: number };

function joined(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = result.at(-1);
    if (last !== undefined && span.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else result.push(span);
  }
  return result;
}
