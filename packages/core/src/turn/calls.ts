import { appendItem } from '../conversation/conversation.ts';
import type { ConversationHistory } from '../conversation/conversation.ts';
import type { ToolCall, ConversationMessage } from '../conversation/message.ts';
import type { RequestedCall } from '../event.ts';
import { createFailedOutcome } from './results.ts';
import type { CallExecution, PermissionCall } from './state.ts';

/**
 * Gives every call of a reply a unique id. Models omit ids or use one twice; such a call gets an id derived from the
 * request, so that a result is never assigned to the wrong call.
 */
export function assignCallIds(
  calls: readonly RequestedCall[],
  request: number,
  word = 'call',
): readonly ToolCall[] {
  const named = Array<ToolCall>(calls.length);
  for (let index = 0; index < calls.length; index += 1) {
    const { id = '', tool, args } = calls[index] as RequestedCall;
    const isUsable = id !== '' && !isCallIdTaken(id, named, index);
    named[index] = {
      id: isUsable ? id : createFreeCallId(`${word}_${request}_${index}`, named, index),
      tool,
      args,
    };
  }
  return named;
}

export function isAllowedCall({ permission = 'allow' }: RequestedCall): boolean {
  return permission === 'allow';
}

export function toPermissionCalls(
  calls: readonly ToolCall[],
  requested: readonly RequestedCall[],
): PermissionCall[] {
  return calls.map((call, index) => {
    const { permission, because } = requested[index] ?? {};
    switch (permission) {
      case 'ask':
        return { decision: 'pending', call };
      case 'deny':
        return {
          decision: 'denied',
          call,
          outcome: createFailedOutcome('denied', because ?? 'A rule does not allow this call.'),
        };
      case 'allow':
      case undefined:
        return { decision: 'allowed', call };
    }
  });
}

export function toExecution(decided: PermissionCall): CallExecution {
  return decided.decision === 'denied'
    ? { status: 'completed', call: decided.call, outcome: decided.outcome }
    : { status: 'pending', call: decided.call };
}

/**
 * Appends the assistant message, unless it has neither text nor calls, because such a message cannot be sent to a
 * model.
 */
export function appendReply(
  conversation: ConversationHistory<ConversationMessage>,
  reply: { readonly text: string; readonly calls: readonly ToolCall[]; readonly at: number },
): ConversationHistory<ConversationMessage> {
  const { text, calls, at } = reply;
  if (text === '' && calls.length === 0) return conversation;
  return appendItem(conversation, { role: 'assistant', at, text, calls });
}

function createFreeCallId(wanted: string, named: readonly ToolCall[], count: number): string {
  let id = wanted;
  while (isCallIdTaken(id, named, count)) id += '_';
  return id;
}

/** A linear scan is cheaper than a set, because a reply holds only a few calls. */
function isCallIdTaken(id: string, named: readonly ToolCall[], count: number): boolean {
  for (let index = 0; index < count; index += 1) if (named[index]?.id === id) return true;
  return false;
}
