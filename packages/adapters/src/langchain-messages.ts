import type { Json } from '@pawl/core';
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { createConversationJudge, type ConversationJudge } from './conversation-judge.ts';
import { findRefusalReason, formatFallbackAnswer, type GovernorDecision } from './governor-decision.ts';
import type { GovernOptions } from './options.ts';

export function createLangChainJudge(options: GovernOptions): ConversationJudge<BaseMessage> {
  // LangChain's stored form of a message is plain JSON, whatever its type says.
  return createConversationJudge<BaseMessage>(options, (message) => message.toDict() as unknown as Json);
}

/** Returns the same messages, or a copy with the advice appended. */
export function appendAdviceMessage(
  messages: readonly BaseMessage[],
  { advice }: GovernorDecision,
): BaseMessage[] {
  return advice === null ? (messages as BaseMessage[]) : [...messages, new HumanMessage(advice)];
}

/** Returns the tool message for a blocked call; null if the call may run. */
export function createRefusalMessage(
  decision: GovernorDecision,
  { name, args, id }: ToolCall,
): ToolMessage | null {
  const because = findRefusalReason(decision, { tool: name, args });
  return because === null
    ? null
    : new ToolMessage({ content: because, tool_call_id: id ?? '', name, status: 'error' });
}

/** Returns the final reply without tool calls, which would not be run. */
export function toFinalReply(reply: AIMessage, { finish }: GovernorDecision): AIMessage {
  if ((reply.tool_calls ?? []).length === 0) return reply;
  return new AIMessage({ content: reply.text.trim() === '' ? formatFallbackAnswer(finish) : reply.text });
}
