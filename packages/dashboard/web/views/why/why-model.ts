import { getUnpausedTurn, type Json, type RuleSeverity, type ToolOutcome, type Session } from '@pawl/core';
import { listNextStates } from '@pawl/core/modes';
import { isFailedItem, isTimelineItem, summarizeItem, type SessionDecision } from '@pawl/core/projections';
import { computeRuleDistances, observeCall, type RuleDistance, type Rule } from '@pawl/governor';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import type { ColorTone } from '../../app/tones.ts';

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
export type RuleRung = { readonly severity: RuleSeverity; readonly at: number; readonly isReached: boolean };

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
  decision: SessionDecision,
  rules: readonly Rule[],
): DecisionExplanation {
  const { seq } = decision;
  const after = timeline.stateAt(seq);
  const verdict = decision.kind === 'verdict' ? decision.verdict : null;
  const ruleId = verdict?.rule ?? (decision.kind === 'stop' ? decision.rule : null);
  const distances = computeRuleDistances(after.governor.detector, rules);
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
    denial: decision.kind === 'denied' ? decision : null,
  };
}

/** Limits the evidence shown for a verdict. */
const evidenceMax = 48;

const rungSeverities: readonly RuleSeverity[] = ['advise', 'block', 'ask', 'stop'];

function buildExplainedRule(
  rules: readonly Rule[],
  distances: readonly RuleDistance[],
  id: string | null,
): ExplainedRule | null {
  const rule = rules.find((each) => each.id === id);
  if (rule === undefined) return null;
  const count = distances.find((each) => each.rule === id)?.count ?? 0;
  const thresholds = rungSeverities.flatMap((severity) => {
    const at = rule.thresholds[severity] ?? null;
    return at === null ? [] : [{ severity, at, isReached: count >= at }];
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
  const { event, items } = timeline.entry(index);
  for (const item of items) {
    if (item.kind === 'tool-result') {
      const request = item.call === null ? '' : toReadableJson(item.call.args);
      return { seq, tool: item.call?.tool ?? item.callId, request, ...describeOutcome(item.outcome) };
    }
    if (item.kind === 'reply') {
      const calls = item.calls.map(({ tool, args }) => `${tool} ${toReadableJson(args)}`).join('\n');
      const isError = item.problem !== undefined;
      return { seq, tool: 'reply', request: calls, result: item.problem ?? item.text, isError };
    }
  }
  const [item] = items.filter(isTimelineItem);
  const result = item === undefined ? '' : summarizeItem(item);
  return { seq, tool: event.type, request: '', result, isError: item !== undefined && isFailedItem(item) };
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
  const items = seqs.flatMap((seq) => {
    const index = timeline.indexOf(seq);
    return index === -1 ? [] : timeline.entry(index).items;
  });
  return new Set(
    items.flatMap((item) =>
      item.kind === 'tool-result' && item.call !== null
        ? [fingerprintToolCall(item.call.tool, item.call.args)]
        : [],
    ),
  );
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
    const { items, seq } = timeline.entry(index);
    const item = items.find(({ kind }) => kind === 'reply' || kind === 'model-failure');
    if (item?.kind === 'model-failure')
      return { seq, text: '', calls: [], error: `${item.error.kind}: ${item.error.message}` };
    if (item?.kind !== 'reply') continue;
    const calls = item.calls.map(({ tool, args }) => ({
      tool,
      args: toReadableJson(args),
      isRepeated: repeated.has(fingerprintToolCall(tool, args)),
    }));
    return { seq, text: item.text, calls, error: item.problem ?? null };
  }
  return null;
}

/** Formats a decision in one line. */
export function formatDecision(decision: SessionDecision): string {
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

/** Returns a short label for a decision. */
export function getDecisionLabel(decision: SessionDecision): string {
  switch (decision.kind) {
    case 'verdict':
      return decision.verdict.response.kind;
    case 'denied':
      return 'not run';
    case 'permission':
      return decision.isAllowed ? 'allowed' : 'denied';
    case 'retry':
      return decision.until === null ? 'gave up' : 'retry';
    case 'last answer':
      return 'final answer';
    case 'stop':
      return 'stop';
    default:
      return decision satisfies never;
  }
}

export function getDecisionTone({ kind }: SessionDecision): ColorTone {
  const tones = {
    verdict: 'governor',
    denied: 'permission',
    permission: 'permission',
    retry: 'recovery',
    'last answer': 'done',
    stop: 'halted',
  } as const;
  return tones[kind];
}
