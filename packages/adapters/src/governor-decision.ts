import type { Json, BudgetUsage, Verdict } from '@pawl/core';
import { fingerprintCall, formatRefusal, type ConversationState } from './conversation-state.ts';

/** The governor's decision about the next request of a conversation. Plain JSON. */
export type GovernorDecision = {
  /** The verdict of the latest round of calls, or null. */
  readonly verdict: Verdict | null;
  /** Append this to the end of the next request, and only that one; null if there is no advice. */
  readonly advice: string | null;
  /** Whether the next request must offer no tools but the completion tools, so that the model replies with an answer. */
  readonly dropTools: boolean;
  /** Calls to block if the model requests them again, by fingerprint, with the text to return instead. */
  readonly blockedCalls: readonly { readonly call: string; readonly reason: string }[];
  /** Why the work ends with the next reply; null if it continues. */
  readonly finish: string | null;
  /** The final reply has been given; send no further requests. */
  readonly isOver: boolean;
  /** The budget that the conversation has spent so far. */
  readonly budgetUsage: BudgetUsage;
};

/** What the next request offers. */
export type RequestFeatures = {
  /** The offered tools by which the agent itself ends its work. They stay available for the last reply. */
  readonly completionTools?: readonly string[];
};

export function toGovernorDecision(
  { session, verdict }: ConversationState,
  { completionTools = [] }: RequestFeatures = {},
): GovernorDecision {
  const { turn, governor, budgetUsage } = session;
  const blockedCalls = governor.blockedCalls.map((refusal) => ({
    call: refusal.call,
    reason: formatRefusal(refusal),
  }));
  const going = {
    verdict,
    advice: null,
    dropTools: false,
    blockedCalls,
    finish: null,
    isOver: false,
    budgetUsage,
  };
  if (turn.status === 'halted') {
    const { reason } = turn.haltReason;
    return {
      ...going,
      advice: formatFinalAdvice(null, reason, completionTools),
      dropTools: true,
      finish: reason,
      isOver: true,
    };
  }
  if (turn.status !== 'callingModel') return { ...going, advice: formatAdvice(governor.advice) };
  const { advice, finish } = turn.ask;
  if (finish === null) return { ...going, advice: formatAdvice(advice) };
  return {
    ...going,
    advice: formatFinalAdvice(advice, finish.reason, completionTools),
    dropTools: true,
    finish: finish.reason,
  };
}

/** Returns why a call is blocked, worded for the model; null if it may run. */
export function findRefusalReason(
  { blockedCalls }: GovernorDecision,
  call: { readonly tool: string; readonly args: unknown },
): string | null {
  if (blockedCalls.length === 0) return null;
  const key = fingerprintCall({ tool: call.tool, args: (call.args ?? null) as Json });
  return blockedCalls.find((each) => each.call === key)?.reason ?? null;
}

/** Marks the advice as not written by the user, because it is sent as a user message. */
const governorNotePrefix = '[Note from the run’s governor, not from the user]';

function formatAdvice(advice: string | null): string | null {
  return advice === null ? null : `${governorNotePrefix} ${advice}`;
}

function formatFinalAdvice(
  advice: string | null,
  reason: string,
  completionTools: readonly string[],
): string {
  const outcome = 'what you have found out, say what you could not do and why, and what is left to do.';
  return (
    `${governorNotePrefix} ${advice ?? `This work has come to its end: ${reason}.`} ` +
    (completionTools.length === 0
      ? `There are no tools any more and this is your last reply: answer with ${outcome}`
      : `The only tool left is ${completionTools.join(' or ')} and this is your last reply: call it with ${outcome}`)
  );
}

/** Replaces the final answer of a model that called a tool although none was offered. */
export function formatFallbackAnswer(finish: string | null): string {
  return `The work was stopped: ${finish ?? 'it had come to its end'}. The model gave no last answer.`;
}
