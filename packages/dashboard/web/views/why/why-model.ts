import {
  conversationOf,
  distances,
  nextStates,
  observe,
  toArray,
  unpaused,
  type Distance,
  type Json,
  type Level,
  type Outcome,
  type Rule,
  type Session,
  type Turn,
} from '@pawl/core';
import type { Track } from '../../app/track.ts';
import type { Decision } from './decisions-model.ts';

/** Everything there is to say about why something was decided, and what came of it. */
export type Why = {
  /** The rule that spoke, where it is one that can be looked at by itself. */
  readonly rule: RuleShown | null;
  /** What else there was to decide: rules that saw something too. */
  readonly others: readonly Distance[];
  readonly evidence: readonly Proof[];
  readonly counterEvidence: readonly Proof[];
  /** What was said to the model about it; null where it was not asked any more. */
  readonly told: Told | null;
  readonly next: Next | null;
  /** For a call that was not run: what the model was told instead of a result. */
  readonly denial: { readonly reason: string; readonly args: Json; readonly rule: string | null } | null;
};

export type RuleShown = {
  readonly id: string;
  readonly because: string;
  readonly unit: string;
  readonly count: number;
  readonly rungs: readonly Rung[];
};

/** What a rule does from how many on. */
export type Rung = { readonly level: Level; readonly at: number; readonly isReached: boolean };

/** An event that proves something: what was done, and what came of it. */
export type Proof = {
  readonly seq: number;
  readonly tool: string;
  readonly asked: string;
  readonly came: string;
  readonly isError: boolean;
};

export type Told = {
  /** The event that led to the model being asked. */
  readonly seq: number;
  readonly advice: string | null;
  /** Why it was asked for its last answer; null where it was offered tools. */
  readonly lastAnswer: string | null;
  readonly mode: { readonly state: string; readonly next: readonly string[] } | null;
};

export type Next = {
  readonly seq: number;
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly args: string; readonly isRepeated: boolean }[];
  readonly error: string | null;
};

/** How far ahead the next question and its answer are looked for. */
const lookAhead = 400;

export function whyOf(track: Track, decision: Decision, rules: readonly Rule[]): Why {
  const { seq } = decision;
  const after = track.at(seq);
  const verdict = decision.kind === 'verdict' ? decision.verdict : null;
  const ruleId = verdict?.rule ?? (decision.kind === 'stop' ? decision.rule : null);
  const seen = distances(after.governor.watch, rules);
  const evidence = (verdict?.evidence ?? []).slice(-proofMax);
  const told = toldAfter(track, seq);
  return {
    rule: ruleShown(rules, seen, ruleId),
    others: seen.filter(({ rule, count }) => count > 1 && rule !== ruleId),
    evidence: proofsOf(track, evidence),
    counterEvidence: proofsOf(track, (verdict?.counterEvidence ?? []).slice(-proofMax)),
    told,
    next: told === null ? null : nextAfter(track, told.seq, callsOf(track, evidence)),
    denial: decision.kind === 'denied' ? denialOf(track, decision, after) : null,
  };
}

/** A verdict may be proved by more, but nobody looks at more side by side. */
const proofMax = 48;

const levels: readonly Level[] = ['advise', 'refuse', 'ask', 'finish'];

function ruleShown(rules: readonly Rule[], seen: readonly Distance[], id: string | null): RuleShown | null {
  const rule = rules.find((each) => each.id === id);
  if (rule === undefined) return null;
  const count = seen.find((each) => each.rule === id)?.count ?? 0;
  const rungs = levels.flatMap((level) => {
    const at = rule.thresholds[level] ?? null;
    return at === null ? [] : [{ level, at, isReached: count >= at }];
  });
  return { id: rule.id, because: rule.because, unit: rule.unit ?? 'times', count, rungs };
}

function proofsOf(track: Track, seqs: readonly number[]): readonly Proof[] {
  return seqs.flatMap((seq) => proofOf(track, seq) ?? []);
}

/** An event as it proves something; null for one that there is not. */
function proofOf(track: Track, seq: number): Proof | null {
  const index = track.indexOf(seq);
  if (index === -1) return null;
  const { event } = track.entry(index);
  switch (event.type) {
    case 'tool-finished': {
      const call = callAt(track.at(seq - 1).turn, event.callId);
      const asked = call === undefined ? '' : jsonText(call.args);
      return { seq, tool: call?.tool ?? event.callId, asked, ...cameOf(event.outcome) };
    }
    case 'model-replied': {
      const calls = event.calls.map(({ tool, args }) => `${tool} ${jsonText(args)}`).join('\n');
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

function callAt(turn: Turn, callId: string): { readonly tool: string; readonly args: Json } | undefined {
  const held = unpaused(turn);
  if (held.status === 'executingTools') return held.executions.find(({ call }) => call.id === callId)?.call;
  return held.status === 'awaitingPermission'
    ? held.calls.find(({ call }) => call.id === callId)?.call
    : undefined;
}

function cameOf(outcome: Outcome): { readonly came: string; readonly isError: boolean } {
  if (!outcome.ok) return { came: `${outcome.error.kind}: ${outcome.error.message}`, isError: true };
  return { came: jsonText(outcome.output), isError: false };
}

/** Text as it is, and anything else as JSON over several lines, which compares better. */
export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function callsOf(track: Track, seqs: readonly number[]): ReadonlySet<string> {
  const keys = seqs.flatMap((seq) => {
    const index = track.indexOf(seq);
    const event = index === -1 ? null : track.entry(index).event;
    if (event?.type !== 'tool-finished') return [];
    const call = callAt(track.at(seq - 1).turn, event.callId);
    return call === undefined ? [] : [keyOf(call.tool, call.args)];
  });
  return new Set(keys);
}

/** What makes two calls the same call to the governor. */
function keyOf(tool: string, args: Json): string {
  return observe({ seq: 0, tool, args, ok: true, said: '' }).call;
}

/** The first time that the model is asked from an event on. */
function toldAfter(track: Track, seq: number): Told | null {
  const start = track.indexOf(seq);
  if (start === -1) return null;
  for (let index = start; index < Math.min(track.length, start + lookAhead); index += 1) {
    const { actions, seq: asks } = track.entry(index);
    const ask = actions.find((action) => action.type === 'ask-model');
    if (ask === undefined) continue;
    const session = track.at(asks);
    return {
      seq: asks,
      advice: ask.advice,
      lastAnswer: ask.tools ? null : finishReason(session),
      mode: modeOf(session),
    };
  }
  return null;
}

function finishReason({ turn }: Session): string {
  const held = unpaused(turn);
  return (held.status === 'callingModel' ? held.ask.finish?.reason : undefined) ?? 'the work is to end';
}

function modeOf({ mode, settings: { chart } }: Session): Told['mode'] {
  return mode === null || chart === null ? null : { state: mode.state, next: nextStates(chart, mode) };
}

/** What the model made of it. */
function nextAfter(track: Track, asked: number, repeated: ReadonlySet<string>): Next | null {
  const start = track.indexOf(asked) + 1;
  for (let index = start; index < Math.min(track.length, start + lookAhead); index += 1) {
    const { event, seq } = track.entry(index);
    if (event.type === 'model-failed') {
      return { seq, text: '', calls: [], error: `${event.error.kind}: ${event.error.message}` };
    }
    if (event.type !== 'model-replied') continue;
    const calls = event.calls.map(({ tool, args }) => ({
      tool,
      args: jsonText(args),
      isRepeated: repeated.has(keyOf(tool, args)),
    }));
    return { seq, text: event.text, calls, error: event.problem ?? null };
  }
  return null;
}

/** The model is told of a call that was not run by a result like any other. */
function denialOf(
  track: Track,
  { seq, place }: Extract<Decision, { readonly kind: 'denied' }>,
  after: Session,
): Why['denial'] {
  const { event } = track.entry(track.indexOf(seq));
  const call = event.type === 'model-replied' ? event.calls[place] : undefined;
  if (call === undefined) return null;
  const key = keyOf(call.tool, call.args);
  const refusal = after.governor.refused.find((each) => each.call === key);
  const reason = deniedReason(after, call.id, place) ?? call.because ?? 'It was not run.';
  return { reason, args: call.args, rule: refusal?.rule ?? null };
}

function deniedReason(session: Session, id: string | undefined, place: number): string | null {
  const turn = unpaused(session.turn);
  const outcomes: readonly (Outcome | null)[] =
    turn.status === 'executingTools'
      ? turn.executions.map((each) => (each.status === 'completed' ? each.outcome : null))
      : turn.status === 'awaitingPermission'
        ? turn.calls.map((each) => (each.decision === 'denied' ? each.outcome : null))
        : lastResults(session, id);
  const outcome = outcomes[outcomes.length === 1 ? 0 : place] ?? null;
  return outcome === null || outcome.ok ? null : outcome.error.message;
}

/** The results at the end of the conversation, of the call with an id or of all calls of the last reply. */
function lastResults(session: Session, id: string | undefined): readonly Outcome[] {
  const messages = toArray(conversationOf(session));
  const reply = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(reply + 1)
    .flatMap((message) =>
      message.role === 'tool' && (id === undefined || message.callId === id) ? [message.outcome] : [],
    );
}

/** A decision on one line. */
export function decisionText(decision: Decision): string {
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
