import type { Json } from '@pawl/core';
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { createFollower, type Follower } from './follower.ts';
import { refusalOf, type Judgement } from './judgement.ts';
import { answerInstead } from './answer-instead.ts';
import type { GovernOptions } from './options.ts';

export function followLangChain(options: GovernOptions): Follower<BaseMessage> {
  // What LangChain stores of a message is plain JSON, whatever its type says.
  return createFollower<BaseMessage>(options, (message) => message.toDict() as unknown as Json);
}

/** The messages to send: the very same, or a copy with the advice at its end. */
export function advised(messages: readonly BaseMessage[], { advice }: Judgement): BaseMessage[] {
  return advice === null ? (messages as BaseMessage[]) : [...messages, new HumanMessage(advice)];
}

/** The answer to a call that is not to be run; null for one that may be. */
export function refusedCall(judgement: Judgement, { name, args, id }: ToolCall): ToolMessage | null {
  const because = refusalOf(judgement, { tool: name, args });
  return because === null
    ? null
    : new ToolMessage({ content: because, tool_call_id: id ?? '', name, status: 'error' });
}

/** A last reply as it is, or without the calls that nobody will carry out any more. */
export function lastReply(reply: AIMessage, { finish }: Judgement): AIMessage {
  if ((reply.tool_calls ?? []).length === 0) return reply;
  return new AIMessage({ content: reply.text.trim() === '' ? answerInstead(finish) : reply.text });
}
