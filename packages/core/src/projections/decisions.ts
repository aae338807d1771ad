import { observeCall, type Json, type Verdict } from '@pawl/governor';
import type { ToolErrorKind, ToolOutcome } from '../conversation/message.ts';
import { getUnpausedTurn } from '../session/session-status.ts';
import type { Session } from '../session/session.ts';
import type { TurnState } from '../session/turn-state.ts';
import { isRefusedStep, listAddedMessages, type ReplayedStep } from './replayed-step.ts';
import { listTranscriptItems, type TranscriptItem } from './transcript.ts';

/** A decision about the work that can be explained, and the event at which it was made. */
export type SessionDecision = { readonly seq: number; readonly at: number } & (
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  /** A call that was not run because a rule, a mode, the governor or a budget denied it. */
  | ({ readonly kind: 'denied' } & UnrunCall)
  /** A person allowed or denied a call. */
  | {
      readonly kind: 'permission';
      readonly callId: string;
      readonly isAllowed: boolean;
      readonly reason: string | null;
    }
  /** The model failed: it is called again at `until`, or not at all if null. */
  | {
      readonly kind: 'retry';
      readonly error: string;
      readonly attempt: number;
      readonly until: number | null;
    }
  /** The model is asked for its final answer, without tools. */
  | { readonly kind: 'last answer' }
  | { readonly kind: 'stop'; readonly reason: string; readonly rule: string | null }
);

/** A call that got a result without running. `rule` is the governor rule that blocked it, if any. */
export type UnrunCall = {
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  readonly errorKind: ToolErrorKind;
  readonly reason: string;
  readonly rule: string | null;
};

/** Lists the decisions of a step; most steps have none. */
export function listDecisions(
  replayed: ReplayedStep,
  items: readonly TranscriptItem[] = listTranscriptItems(replayed),
): readonly SessionDecision[] {
  const { seq, event, after } = replayed;
  if (isRefusedStep(replayed)) return [];
  const base = { seq, at: event.at };
  const denied = event.type === 'model-replied' ? listUnrunCalls(replayed) : [];
  const finalCall = after.actions.find((action) => action.type === 'ask-model' && !action.tools);
  const isFirstAttempt = finalCall?.type === 'ask-model' && finalCall.attempt === 1;
  return [
    ...items.flatMap((item): readonly SessionDecision[] =>
      item.kind === 'verdict' ? [{ ...base, kind: 'verdict', verdict: item.verdict }] : [],
    ),
    ...items.flatMap((item) => toPersonOrRetryDecision(item, replayed)),
    ...denied.map((call): SessionDecision => ({ ...base, kind: 'denied', ...call })),
    ...(isFirstAttempt ? [{ ...base, kind: 'last answer' } as const] : []),
    ...items.flatMap((item): readonly SessionDecision[] =>
      item.kind === 'halt'
        ? [{ ...base, kind: 'stop', reason: item.haltReason.reason, rule: item.haltReason.rule }]
        : [],
    ),
  ];
}

function toPersonOrRetryDecision(
  item: TranscriptItem,
  { before, after }: ReplayedStep,
): readonly SessionDecision[] {
  const { seq, at } = item;
  if (item.kind === 'permission') {
    const { callId, isAllowed, reason } = item;
    return [{ seq, at, kind: 'permission', callId, isAllowed, reason }];
  }
  if (item.kind !== 'model-failure') return [];
  const { error, retry } = item;
  const failed = getUnpausedTurn(before.turn);
  const attempt = failed.status === 'callingModel' ? failed.retries + 1 : 1;
  // A full context window is compacted first, and the model is called again afterwards.
  const isCompacted = getUnpausedTurn(after.session.turn).status === 'paging';
  const until = retry?.retryAt ?? (isCompacted ? at : null);
  return [{ seq, at, kind: 'retry', error: `${error.kind}: ${error.message}`, attempt, until }];
}

/** Lists the verdicts of a step, those of the governor and those that an event reports. */
export function listVerdicts({ seq, after }: ReplayedStep): readonly (Verdict & { readonly seq: number })[] {
  return after.notes.flatMap((note) => (note.type === 'verdict' ? [{ ...note.verdict, seq }] : []));
}

const unrunErrorKinds: ReadonlySet<ToolErrorKind> = new Set(['denied', 'invalid', 'skipped', 'cancelled']);

/** Lists the calls that got a result in this step without running. */
export function listUnrunCalls({ before, after }: ReplayedStep): readonly UnrunCall[] {
  const known = new Set(listDecidedCalls(before.turn).map(({ callId }) => callId));
  const decided = listDecidedCalls(after.session.turn);
  const results = decided.length > 0 ? decided : listAddedResults(before, after.session);
  return results.flatMap(({ callId, tool, args, outcome }) => {
    if (known.has(callId) || outcome.ok || !unrunErrorKinds.has(outcome.error.kind)) return [];
    const { kind: errorKind, message: reason } = outcome.error;
    const rule = errorKind === 'denied' ? findBlockingRule({ tool, args }, before, after.session) : null;
    return [{ callId, tool, args, errorKind, reason, rule }];
  });
}

/** Counts how often the step blocked a call that the governor had refused. */
export function countBlockedCalls({ before, after }: ReplayedStep): number {
  return listBlockedCalls(before, after.session).reduce((sum, { times }) => sum + times, 0);
}

type CallResult = {
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  readonly outcome: ToolOutcome;
};

/** Lists the calls of the current round that have a result. */
function listDecidedCalls(turn: TurnState): readonly CallResult[] {
  const unpaused = getUnpausedTurn(turn);
  if (unpaused.status === 'executingTools') {
    return unpaused.executions.flatMap((each) =>
      each.status === 'completed' ? [toCallResult(each.call, each.outcome)] : [],
    );
  }
  if (unpaused.status !== 'awaitingPermission') return [];
  return unpaused.calls.flatMap((each) =>
    each.decision === 'denied' ? [toCallResult(each.call, each.outcome)] : [],
  );
}

/** If no call was left to run, the results are already in the conversation. */
function listAddedResults(before: Session, after: Session): readonly CallResult[] {
  const added = listAddedMessages(before, after);
  const open = listOpenCalls(before.turn);
  const calls = new Map(
    [...open, ...added.flatMap((message) => (message.role === 'assistant' ? message.calls : []))].map(
      (call) => [call.id, call],
    ),
  );
  return added.flatMap((message) => {
    if (message.role !== 'tool') return [];
    const { callId: id, tool, outcome } = message;
    return [toCallResult({ id, tool, args: calls.get(id)?.args ?? null }, outcome)];
  });
}

function listOpenCalls(turn: TurnState): readonly { readonly id: string; readonly args: Json }[] {
  const unpaused = getUnpausedTurn(turn);
  if (unpaused.status === 'executingTools') return unpaused.executions.map(({ call }) => call);
  return unpaused.status === 'awaitingPermission' ? unpaused.calls.map(({ call }) => call) : [];
}

function toCallResult(
  { id: callId, tool, args }: { readonly id: string; readonly tool: string; readonly args: Json },
  outcome: ToolOutcome,
): CallResult {
  return { callId, tool, args, outcome };
}

type BlockedRequest = { readonly call: string; readonly rule: string; readonly times: number };

/** The governor counts every request for a blocked call, which shows that the step blocked it. */
function listBlockedCalls(before: Session, after: Session): readonly BlockedRequest[] {
  const [earlier, later] = [before.governor.blockedCalls, after.governor.blockedCalls];
  if (later === earlier) return [];
  const counts = new Map(earlier.map((each) => [each.call, each.requests]));
  return later.flatMap(({ call, rule, requests }) => {
    const times = requests - (counts.get(call) ?? 0);
    return times > 0 ? [{ call, rule, times }] : [];
  });
}

function findBlockingRule(
  { tool, args }: { readonly tool: string; readonly args: Json },
  before: Session,
  after: Session,
): string | null {
  const blocked = listBlockedCalls(before, after);
  if (blocked.length === 0) return null;
  const key = observeCall({ seq: 0, tool, args, ok: true, output: '' }).call;
  return blocked.find(({ call }) => call === key)?.rule ?? null;
}
