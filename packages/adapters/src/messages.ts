import type { Json } from '@pawl/core';
import { createFollower } from './follower.ts';
import type { Judgement } from './judgement.ts';
import type { GovernOptions } from './options.ts';

export { refusalOf, type Judgement } from './judgement.ts';
export type { GovernOptions } from './options.ts';

/**
 * Judges a conversation by its messages: OpenAI's chat or Responses, Anthropic's, the AI SDK's or LangChain's, told apart by
 * themselves. Pure: the same messages and options give the same judgement, unless the options bring a clock.
 */
export function governMessages(messages: readonly object[], options: GovernOptions = {}): Judgement {
  return createFollower(options, asJson)(messages);
}

/** The same for a conversation that grows: of messages that were there before, none is read again. */
export function messageGovernor(options: GovernOptions = {}): (messages: readonly object[]) => Judgement {
  return createFollower(options, asJson);
}

/**
 * The messages to send, with the advice at their end if there is any: a copy, so that the conversation itself stays as it is.
 * Clients ask for an array that they may change.
 */
export function withAdvice<Message>(
  messages: readonly Message[],
  { advice }: Judgement,
): (Message | { role: 'user'; content: string })[] {
  return advice === null ? [...messages] : [...messages, { role: 'user', content: advice }];
}

/** Messages come from outside: the parsers take any value for what it is, and never throw. */
function asJson(message: object): Json {
  return message as Json;
}
