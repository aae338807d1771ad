import type { ReplyKind, RequestedCall } from '@pawl/core';

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
