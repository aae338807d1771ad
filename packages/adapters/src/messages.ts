import type { Json } from '@pawl/core';
import { createConversationJudge } from './conversation-judge.ts';
import type { GovernorDecision, RequestFeatures } from './governor-decision.ts';
import type { GovernOptions } from './options.ts';

export { findRefusalReason, type GovernorDecision, type RequestFeatures } from './governor-decision.ts';
export type { GovernOptions } from './options.ts';

/**
 * Judges a conversation by its messages: OpenAI Chat or Responses, Anthropic, AI SDK or LangChain, detected
 * automatically. Pure: the same messages and options give the same decision, unless the options contain a clock.
 */
export function governMessages(messages: readonly object[], options: GovernOptions = {}): GovernorDecision {
  return createConversationJudge(options, toMessageJson)(messages);
}

/** Like `governMessages`, for a growing conversation: earlier messages are not read again. */
export function createMessageGovernor(
  options: GovernOptions = {},
): (messages: readonly object[], features?: RequestFeatures) => GovernorDecision {
  return createConversationJudge(options, toMessageJson);
}

/**
 * Returns the messages to send, with the advice appended, if any. Always a copy, because clients require a mutable
 * array and the conversation itself must not change.
 */
export function appendAdvice<Message>(
  messages: readonly Message[],
  { advice }: GovernorDecision,
): (Message | { role: 'user'; content: string })[] {
  return advice === null ? [...messages] : [...messages, { role: 'user', content: advice }];
}

/** Messages are untrusted: the parsers accept any value and never throw. */
function toMessageJson(message: object): Json {
  return message as Json;
}
