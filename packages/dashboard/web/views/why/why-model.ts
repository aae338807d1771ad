import {
  getConversation,
  computeRuleDistances,
  listNextStates,
  observeCall,
  toItemArray,
  getUnpausedTurn,
  type RuleDistance,
  type Json,
  type RuleSeverity,
  type ToolOutcome,
  type Rule,
  type Session,
  type TurnState,
} from '@pawl/core';
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
  readonly told: InjectedPrompt | null;
  readonly next: FollowingReply | null;
  /** For a call that was not run: the error that the model received instead of a result. */
  readonly denial: { readonly reason: string; readonly args: Json; readonly rule: string | null } | null;
};

export type ExplainedRule = {
  readonly id: string;
  readonly because: string;
  readonly unit: string;
  readonly count: number;
  readonly rungs: readonly RuleRung[];
};

/** A threshold of a rule and the severity that applies from there on. */
export type RuleRung = { readonly level: RuleSeverity; readonly at: number; readonly isReached: boolean };

/** An event cited as evidence: the call and its result. */
export type EvidenceItem = {
  readonly seq: number;
  readonly tool: string;
  readonly asked: string;
  readonly came: string;
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
  track: ReplayedTimeline,
  decision: DecisionRecord,
  rules: readonly Rule[],
): DecisionExplanation {
  const { seq } = decision;
  const after = track.at(seq);
  const verdict = decision.kind === 'verdict' ? decision.verdict : null;
  const ruleId = verdict?.rule ?? (decision.kind === 'stop' ? decision.rule : null);
  const seen = computeRuleDistances(after.governor.watch, rules);
  const evidence = (verdict?.evidence ?? []).slice(-evidenceMax);
  const told = findInjectedPrompt(track, seq);
  return {
    rule: buildExplainedRule(rules, seen, ruleId),
    others: seen.filter(({ rule, count }) => count > 1 && rule !== ruleId),
    evidence: listEvidence(track, evidence),
    counterEvidence: listEvidence(track, (verdict?.counterEvidence ?? []).slice(-evidenceMax)),
    told,
    next: told === null ? null : findFollowingReply(track, told.seq, listCallFingerprints(track, evidence)),
    denial: decision.kind === 'denied' ? explainDenial(track, decision, after) : null,
  };
}

/** Limits the evidence shown for a verdict. */
const evidenceMax = 48;

const rungLevels: readonly RuleSeverity[] = ['advise', 'refuse', 'ask', 'finish'];

function buildExplainedRule(
  rules: readonly Rule[],
  seen: readonly RuleDistance[],
  id: string | null,
): ExplainedRule | null {
  const rule = rules.find((each) => each.id === id);
  if (rule === undefined) return null;
  const count = seen.find((each) => each.rule === id)?.count ?? 0;
  const rungs = rungLevels.flatMap((level) => {
    const at = rule.thresholds[level] ?? null;
    return at === null ? [] : [{ level, at, isReached: count >= at }];
  });
  return { id: rule.id, because: rule.rationale, unit: rule.unit ?? 'times', count, rungs };
}

function listEvidence(track: ReplayedTimeline, seqs: readonly number[]): readonly EvidenceItem[] {
  return seqs.flatMap((seq) => toEvidenceItem(track, seq) ?? []);
}

/** Converts an event to evidence; null if the event does not exist. */
function toEvidenceItem(track: ReplayedTimeline, seq: number): EvidenceItem | null {
  const index = track.indexOf(seq);
  if (index === -1) return null;
  const { event } = track.entry(index);
  switch (event.type) {
    case 'tool-finished': {
      const call = findCallById(track.at(seq - 1).turn, event.callId);
      const asked = call === undefined ? '' : toReadableJson(call.args);
      return { seq, tool: call?.tool ?? event.callId, asked, ...describeOutcome(event.outcome) };
    }
    case 'model-replied': {
      const calls = event.calls.map(({ tool, args }) => `${tool} ${toReadableJson(args)}`).join('\n');
      return {
        seq,
        tool: 'reply',
        asked: calls,
        came: event.problem ?? event.text,
        isError: event.problem !== undefined,
      };
    }
    default: {
      const came = 'message' in event ? event.message : 'text' in event ? event.text : '';
      return { seq, tool: event.type, asked: '', came, isError: event.type.endsWith('-failed') };
    }
  }
}

function findCallById(
  turn: TurnState,
  callId: string,
): { readonly tool: string; readonly args: Json } | undefined {
  const held = getUnpausedTurn(turn);
  if (held.status === 'executingTools') return held.executions.find(({ call }) => call.id === callId)?.call;
  return held.status === 'awaitingPermission'
    ? held.calls.find(({ call }) => call.id === callId)?.call
    : undefined;
}

function describeOutcome(outcome: ToolOutcome): { readonly came: string; readonly isError: boolean } {
  if (!outcome.ok) return { came: `${outcome.error.kind}: ${outcome.error.message}`, isError: true };
  return { came: toReadableJson(outcome.output), isError: false };
}

/** Returns strings as they are and other values as indented JSON, which is easier to compare. */
export function toReadableJson(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function listCallFingerprints(track: ReplayedTimeline, seqs: readonly number[]): ReadonlySet<string> {
  const keys = seqs.flatMap((seq) => {
    const index = track.indexOf(seq);
    const event = index === -1 ? null : track.entry(index).event;
    if (event?.type !== 'tool-finished') return [];
    const call = findCallById(track.at(seq - 1).turn, event.callId);
    return call === undefined ? [] : [fingerprintToolCall(call.tool, call.args)];
  });
  return new Set(keys);
}

/** Returns the key by which the governor recognizes identical calls. */
function fingerprintToolCall(tool: string, args: Json): string {
  return observeCall({ seq: 0, tool, args, ok: true, output: '' }).call;
}

/** Finds the first model request at or after an event. */
function findInjectedPrompt(track: ReplayedTimeline, seq: number): InjectedPrompt | null {
  const start = track.indexOf(seq);
  if (start === -1) return null;
  for (let index = start; index < Math.min(track.length, start + lookAheadMax); index += 1) {
    const { actions, seq: asks } = track.entry(index);
    const ask = actions.find((action) => action.type === 'ask-model');
    if (ask === undefined) continue;
    const session = track.at(asks);
    return {
      seq: asks,
      advice: ask.advice,
      lastAnswer: ask.tools ? null : getFinishRationale(session),
      mode: getModeContext(session),
    };
  }
  return null;
}

function getFinishRationale({ turn }: Session): string {
  const held = getUnpausedTurn(turn);
  return (held.status === 'callingModel' ? held.ask.finish?.reason : undefined) ?? 'the work is to end';
}

function getModeContext({ mode, settings: { chart } }: Session): InjectedPrompt['mode'] {
  return mode === null || chart === null ? null : { state: mode.state, next: listNextStates(chart, mode) };
}

/** Finds the model's reply to a request. */
function findFollowingReply(
  track: ReplayedTimeline,
  asked: number,
  repeated: ReadonlySet<string>,
): FollowingReply | null {
  const start = track.indexOf(asked) + 1;
  for (let index = start; index < Math.min(track.length, start + lookAheadMax); index += 1) {
    const { event, seq } = track.entry(index);
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
  track: ReplayedTimeline,
  { seq, place }: Extract<DecisionRecord, { readonly kind: 'denied' }>,
  after: Session,
): DecisionExplanation['denial'] {
  const { event } = track.entry(track.indexOf(seq));
  const call = event.type === 'model-replied' ? event.calls[place] : undefined;
  if (call === undefined) return null;
  const key = fingerprintToolCall(call.tool, call.args);
  const refusal = after.governor.refused.find((each) => each.call === key);
  const reason = findDenialReason(after, call.id, place) ?? call.because ?? 'It was not run.';
  return { reason, args: call.args, rule: refusal?.rule ?? null };
}

function findDenialReason(session: Session, id: string | undefined, place: number): string | null {
  const turn = getUnpausedTurn(session.turn);
  const outcomes: readonly (ToolOutcome | null)[] =
    turn.status === 'executingTools'
      ? turn.executions.map((each) => (each.status === 'completed' ? each.outcome : null))
      : turn.status === 'awaitingPermission'
        ? turn.calls.map((each) => (each.decision === 'denied' ? each.outcome : null))
        : listLastResults(session, id);
  const outcome = outcomes[outcomes.length === 1 ? 0 : place] ?? null;
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
      return `a call of ${decision.tool} was not run`;
    case 'permission':
      return `${decision.callId} ${decision.isAllowed ? 'allowed' : 'denied'}${decision.reason === null ? '' : `: ${decision.reason}`}`;
    case 'retry':
      return decision.until === null
        ? `gave up on the model: ${decision.error}`
        : `tries again: ${decision.error}`;
    case 'last answer':
      return 'the model is asked for its last answer';
    case 'stop':
      return `stopped: ${decision.reason}`;
    default:
      return decision satisfies never;
  }
}
