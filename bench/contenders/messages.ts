import type { ToolCall, ConversationMessage } from '@pawl/core';
import type { TurnEventOfType } from './turn-events.ts';

/* Converts events to messages, for the bare reducers and all peers. */

export function toUserMessage({ at, text }: TurnEventOfType<'user-message'>): ConversationMessage {
  return { role: 'user', at, text };
}

export function toAssistantMessage({
  at,
  text,
  calls,
}: TurnEventOfType<'model-replied'>): ConversationMessage {
  return { role: 'assistant', at, text, calls };
}

export function toToolMessage(
  { at, callId, outcome }: TurnEventOfType<'tool-finished'>,
  calls: readonly ToolCall[],
): ConversationMessage {
  const tool = calls.find((call) => call.id === callId)?.tool ?? 'unknown';
  return { role: 'tool', at, callId, tool, outcome };
}
