import {
  getConversation,
  getUnpausedTurn,
  type Json,
  type RuleSeverity,
  type ToolOutcome,
  type Session,
  type TurnState,
  toItemArray,
} from '@pawl/core';
import { listNextStates } from '@pawl/core/modes';
import { computeRuleDistances, observeCall, type RuleDistance, type Rule } from '@pawl/governor';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import type { DecisionRecord } from './decisions-model.ts';

/** Explains why a decision was made and what followed. */
export type DecisionExplanation = {
  /** The rule that matched, if it is one of the session's rules. */
  readonly rule: ExplainedRule | null;
  /** Other rules that matched as well. */
  readonly others: readonly RuleDistance[];
  readonly evidence: readonly EvidenceItem[];
  readonly counterEvidence: readonly EvidenceItem[];
  /** What the model received about the decision; null if it was not called again. */
  readonly injectedPrompt: InjectedPrompt | null;
  readonly followingReply: FollowingReply | null;
  /** For a call that was not run: the error that the model received instead of a result. */
  readonly denial: { readonly reason: string; readonly args: Json; readonly rule: string | null } | null;
};

export type ExplainedRule = {
  readonly id: string;
  readonly rationale: string;
  readonly unit: string;
  readonly count: number;
  readonly thresholds: readonly RuleRung[];
};

/** A threshold of a rule and the severity that applies from there on. */
export type RuleRung = { readonly level: RuleSeverity; readonly at: number; readonly isReached: boolean };

/** An event cited as evidence: the call and its result. */
export type EvidenceItem = {
  readonly seq: number;
  readonly tool: string;
  readonly request: string;
  readonly result: string;
  readonly isError: boolean;
};

export type InjectedPrompt = {
  /** The event that caused the model request. */
  readonly seq: number;
  readonly advice: string | null;
  /** Why the final answer was requested; null if tools were offered. */
  readonly lastAnswer: string | null;
  readonly mode: { readonly state: string; readonly next: readonly string[] } | null;
};

export type FollowingReply = {
  readonly seq: number;
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly args: string; readonly isRepeated: boolean }[];
  readonly error: string | null;
};

/** How many events ahead to search for the next model request and its reply. */
const lookAheadMax = 400;

export function buildExplanation(
  timeline: ReplayedTimeline,
  decision: DecisionRecord,
  rules: readonly Rule[],
): DecisionExplanation {
  const { seq } = decision;
  const after = timeline.stateAt(seq);
  const verdict = decision.kind === 'verdict' ? decision.verdict : null;
  const ruleId = verdict?.rule ?? (decision.kind === 'stop' ? decision.rule : null);
  const distances = computeRuleDistances(after.governor.watch, rules);
  const evidence = (verdict?.evidence ?? []).slice(-evidenceMax);
  const injectedPrompt = findInjectedPrompt(timeline, seq);
  return {
    rule: buildExplainedRule(rules, distances, ruleId),
    others: distances.filter(({ rule, count }) => count > 1 && rule !== ruleId),
    evidence: listEvidence(timeline, evidence),
    counterEvidence: listEvidence(timeline, (verdict?.counterEvidence ?? []).slice(-evidenceMax)),
    injectedPrompt,
    followingReply:
      injectedPrompt === null
        ? null
        : findFollowingReply(timeline, injectedPrompt.seq, listCallFingerprints(timeline, evidence)),
    denial: decision.kind === 'denied' ? explainDenial(timeline, decision, after) : null,
  };
}

/** Limits the evidence shown for a verdict. */
const evidenceMax = 48;

const rungLevels: readonly RuleSeverity[] = ['advise', 'refuse', 'ask', 'finish'];

function buildExplainedRule(
  rules: readonly Rule[],
  distances: readonly RuleDistance[],
  id: string | null,
): ExplainedRule | null {
  const rule = rules.find((each) => each.id === id);
  if (rule === undefined) return null;
  const count = distances.find((each) => each.rule === id)?.count ?? 0;
  const thresholds = rungLevels.flatMap((level) => {
    const at = rule.thresholds[level] ?? null;
    return at === null ? [] : [{ level, at, isReached: count >= at }];
  });
  return { id: rule.id, rationale: rule.rationale, unit: rule.unit ?? 'times', count, thresholds };
}

function listEvidence(timeline: ReplayedTimeline, seqs: readonly number[]): readonly EvidenceItem[] {
  return seqs.flatMap((seq) => toEvidenceItem(timeline, seq) ?? []);
}

/** Converts an event to evidence; null if the event does not exist. */
function toEvidenceItem(timeline: ReplayedTimeline, seq: number): EvidenceItem | null {
  const index = timeline.indexOf(seq);
  if (index === -1) return null;
  const { event } = timeline.entry(index);
  switch (event.type) {
    case 'tool-finished': {
      const call = findCallById(timeline.stateAt(seq - 1).turn, event.callId);
      const request = call === undefined ? '' : toReadableJson(call.args);
      return { seq, tool: call?.tool ?? event.callId, request, ...describeOutcome(event.outcome) };
    }
    case 'model-replied': {
      const calls = event.calls.map(({ tool, args }) => `${tool} ${toReadableJson(args)}`).join('\n');
      return {
        seq,
        tool: 'reply',
        request: calls,
        result: event.problem ?? event.text,
        isError: event.problem !== undefined,
      };
    }
    default: {
      const result = 'message' in event ? event.message : 'text' in event ? event.text : '';
      return { seq, tool: event.type, request: '', result, isError: event.type.endsWith('-failed') };
    }
  }
}

function findCallById(
  turn: TurnState,
  callId: string,
): { readonly tool: string; readonly args: Json } | undefined {
  const activeTurn = getUnpausedTurn(turn);
  if (activeTurn.status === 'executingTools')
    return activeTurn.executions.find(({ call }) => call.id === callId)?.call;
  return activeTurn.status === 'awaitingPermission'
    ? activeTurn.calls.find(({ call }) => call.id === callId)?.call
    : undefined;
}

function describeOutcome(outcome: ToolOutcome): { readonly result: string; readonly isError: boolean } {
  if (!outcome.ok) return { result: `${outcome.error.kind}: ${outcome.error.message}`, isError: true };
  return { result: toReadableJson(outcome.output), isError: false };
}

/** Returns strings as they are and other values as indented JSON, which is easier to compare. */
export function toReadableJson(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function listCallFingerprints(timeline: ReplayedTimeline, seqs: readonly number[]): ReadonlySet<string> {
  const keys = seqs.flatMap((seq) => {
    const index = timeline.indexOf(seq);
    const event = index === -1 ? null : timeline.entry(index).event;
    if (event?.type !== 'tool-finished') return [];
    const call = findCallById(timeline.stateAt(seq - 1).turn, event.callId);
    return call === undefined ? [] : [fingerprintToolCall(call.tool, call.args)];
  });
  return new Set(keys);
}

/** Returns the key by which the governor recognizes identical calls. */
function fingerprintToolCall(tool: string, args: Json): string {
  return observeCall({ seq: 0, tool, args, ok: true, output: '' }).call;
}

/** Finds the first model request at or after an event. */
function findInjectedPrompt(timeline: ReplayedTimeline, seq: number): InjectedPrompt | null {
  const start = timeline.indexOf(seq);
  if (start === -1) return null;
  for (let index = start; index < Math.min(timeline.length, start + lookAheadMax); index += 1) {
    const { actions, seq: requestSeq } = timeline.entry(index);
    const ask = actions.find((action) => action.type === 'ask-model');
    if (ask === undefined) continue;
    const session = timeline.stateAt(requestSeq);
    return {
      seq: requestSeq,
      advice: ask.advice,
      lastAnswer: ask.tools ? null : getFinishRationale(session),
      mode: getModeContext(session),
    };
  }
  return null;
}

function getFinishRationale({ turn }: Session): string {
  const activeTurn = getUnpausedTurn(turn);
  return (
    (activeTurn.status === 'callingModel' ? activeTurn.ask.finish?.reason : undefined) ?? 'the work must end'
  );
}

function getModeContext({ mode, settings: { chart } }: Session): InjectedPrompt['mode'] {
  return mode === null || chart === null ? null : { state: mode.state, next: listNextStates(chart, mode) };
}

/** Finds the model's reply to a request. */
function findFollowingReply(
  timeline: ReplayedTimeline,
  requestSeq: number,
  repeated: ReadonlySet<string>,
): FollowingReply | null {
  const start = timeline.indexOf(requestSeq) + 1;
  for (let index = start; index < Math.min(timeline.length, start + lookAheadMax); index += 1) {
    const { event, seq } = timeline.entry(index);
    if (event.type === 'model-failed') {
      return { seq, text: '', calls: [], error: `${event.error.kind}: ${event.error.message}` };
    }
    if (event.type !== 'model-replied') continue;
    const calls = event.calls.map(({ tool, args }) => ({
      tool,
      args: toReadableJson(args),
      isRepeated: repeated.has(fingerprintToolCall(tool, args)),
    }));
    return { seq, text: event.text, calls, error: event.problem ?? null };
  }
  return null;
}

/** The model receives the denial of a call as an ordinary tool result. */
function explainDenial(
  timeline: ReplayedTimeline,
  { seq, callIndex }: Extract<DecisionRecord, { readonly kind: 'denied' }>,
  after: Session,
): DecisionExplanation['denial'] {
  const { event } = timeline.entry(timeline.indexOf(seq));
  const call = event.type === 'model-replied' ? event.calls[callIndex] : undefined;
  if (call === undefined) return null;
  const key = fingerprintToolCall(call.tool, call.args);
  const refusal = after.governor.refused.find((each) => each.call === key);
  const reason = findDenialReason(after, call.id, callIndex) ?? call.because ?? 'It was not run.';
  return { reason, args: call.args, rule: refusal?.rule ?? null };
}

function findDenialReason(session: Session, id: string | undefined, callIndex: number): string | null {
  const turn = getUnpausedTurn(session.turn);
  const outcomes: readonly (ToolOutcome | null)[] =
    turn.status === 'executingTools'
      ? turn.executions.map((each) => (each.status === 'completed' ? each.outcome : null))
      : turn.status === 'awaitingPermission'
        ? turn.calls.map((each) => (each.decision === 'denied' ? each.outcome : null))
        : listLastResults(session, id);
  const outcome = outcomes[outcomes.length === 1 ? 0 : callIndex] ?? null;
  return outcome === null || outcome.ok ? null : outcome.error.message;
}

/** Returns the tool results at the end of the conversation: of one call, or of all calls in the last reply. */
function listLastResults(session: Session, id: string | undefined): readonly ToolOutcome[] {
  const messages = toItemArray(getConversation(session));
  const reply = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(reply + 1)
    .flatMap((message) =>
      message.role === 'tool' && (id === undefined || message.callId === id) ? [message.outcome] : [],
    );
}

/** Formats a decision in one line. */
export function formatDecision(decision: DecisionRecord): string {
  switch (decision.kind) {
    case 'verdict':
      return `${decision.verdict.rule}: ${decision.verdict.reason}`;
    case 'denied':
      return `call of ${decision.tool} not run`;
    case 'permission':
      return `${decision.callId} ${decision.isAllowed ? 'allowed' : 'denied'}${decision.reason === null ? '' : `: ${decision.reason}`}`;
    case 'retry':
      return decision.until === null ? `gave up on the model: ${decision.error}` : `retry: ${decision.error}`;
    case 'last answer':
      return 'final answer requested from the model';
    case 'stop':
      return `stopped: ${decision.reason}`;
    default:
      return decision satisfies never;
  }
}
