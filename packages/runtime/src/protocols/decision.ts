import type { RequestedCall, ToolMessage } from '@pawl/core';
import type { ReplyKind } from '@pawl/core/turn';
import type { ToolDescription } from '../tools/tool.ts';

/** A model's reply: its text, and the tool calls that the provider already separated from it. */
export type ModelReply = { readonly text: string; readonly calls: readonly RequestedCall[] };

/** A problem with a reply, written for the model: what is wrong, where, and how to fix it. */
export type ReplyProblem = { readonly problem: string; readonly location: string; readonly hint: string };

/** The content of a reply, independent of the protocol. */
export type ReplyPayload = {
  /** The prose around the protocol, trimmed. */
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  /** The requested next state, trimmed but otherwise unchanged; the chart validates it. */
  readonly nextState: string | null;
  readonly logs: { readonly think: string | null; readonly evaluation: string | null };
  /** The final answer; null if the model continues to work. */
  readonly answer: string | null;
};

/** A decoded reply. If there is a problem, nothing of the reply is executed: no call, no transition, no answer. */
export type ModelDecision = ReplyPayload & {
  readonly kind: ReplyKind;
  /** Empty if the reply is well formed. */
  readonly problems: readonly ReplyProblem[];
  /** Whether the reply shows signs of the protocol. Plain prose does not. */
  readonly isProtocolReply: boolean;
};

export const emptyReplyPayload: ReplyPayload = {
  text: '',
  calls: [],
  nextState: null,
  logs: { think: null, evaluation: null },
  answer: null,
};

type DecisionDraft = {
  readonly payload: ReplyPayload;
  readonly problems: readonly ReplyProblem[];
  readonly isProtocolReply: boolean;
  /** Maximum number of calls per reply. */
  readonly callsMax: number;
};

/** Limited because a reply of nothing but broken tags has as many problems as tags. */
const decisionProblemsMax = 20;

/**
 * Applies the rules of every protocol: a reply is never executed in part, and a call takes precedence over the rest.
 */
export function finalizeDecision({
  payload,
  problems,
  isProtocolReply,
  callsMax,
}: DecisionDraft): ModelDecision {
  const allProblems = [...problems, ...checkCallCount(payload.calls.length, callsMax)];
  if (allProblems.length === 0 && isEmptyPayload(payload)) allProblems.push(emptyReplyProblem);
  if (allProblems.length > 0) {
    return {
      ...payload,
      kind: 'unreadable',
      calls: [],
      nextState: null,
      answer: null,
      problems: allProblems.slice(0, decisionProblemsMax),
      isProtocolReply,
    };
  }
  if (payload.calls.length > 0)
    return { ...payload, kind: 'action', nextState: null, answer: null, problems: [], isProtocolReply };
  return { ...payload, kind: payload.answer === null ? 'thought' : 'answer', problems: [], isProtocolReply };
}

function isEmptyPayload({ calls, nextState, logs, answer }: ReplyPayload): boolean {
  return calls.length === 0 && (nextState ?? logs.think ?? logs.evaluation ?? answer) === null;
}

const emptyReplyProblem: ReplyProblem = {
  problem: 'it contains no action, state or answer',
  location: 'the whole reply',
  hint: 'Reply with the next step in the required format.',
};

function checkCallCount(count: number, callsMax: number): readonly ReplyProblem[] {
  if (count <= callsMax) return [];
  return [
    {
      problem: `there are ${count} actions, and a reply may have ${callsMax}`,
      location: 'the whole reply',
      hint: 'Send the first one now and the others in later replies.',
    },
  ];
}

/** The logs that a reply may write, in the profile's spelling. Decoding accepts every spelling. */
export type ProtocolLogName = 'think_log' | 'thinking_log' | 'evaluation_log';

/** What a reply may do at this point. */
export type ProtocolContext = {
  /** The tools that may be called. */
  readonly tools: readonly ToolDescription[];
  /** The values allowed in `next_state`; empty if the model cannot choose the state. */
  readonly states: readonly string[];
  readonly logs: readonly ProtocolLogName[];
  /** Maximum number of calls per reply; 1 for one action per cycle. */
  readonly callsMax: number;
};

/** One reply format for a model. All codecs decode to the same decision type. */
export type ProtocolCodec = {
  readonly name: string;
  /** The part of the system prompt that explains the reply format. */
  instructions(context: ProtocolContext): string;
  /** A valid reply, as text. */
  example(context: ProtocolContext): string;
  /** Never throws, whatever the model wrote. */
  decode(reply: ModelReply, context: ProtocolContext): ModelDecision;
  /** Encodes a payload as a reply; `decode` is the inverse. */
  encode(payload: ReplyPayload, context: ProtocolContext): ModelReply;
  /** Formats tool results as text, for models without tool messages. Results cannot imitate protocol syntax. */
  observe(results: readonly ToolMessage[]): string;
};

/** Formats the feedback for an unusable reply: its problems and a valid example. */
export function explainProblems(
  problems: readonly ReplyProblem[],
  codec: ProtocolCodec,
  context: ProtocolContext,
): string {
  const shown = problems
    .slice(0, explainedProblemsMax)
    .map(({ problem, location, hint }) => `- In ${location}: ${problem}. ${hint}`);
  const more = problems.length - shown.length;
  return [
    'Your reply is invalid, and nothing in it was executed.',
    ...shown,
    ...(more > 0 ? [`- There are ${more} more problems.`] : []),
    'A valid reply looks like this:',
    codec.example(context),
  ].join('\n');
}

/** Models fix only the first items of a long list. */
const explainedProblemsMax = 5;
