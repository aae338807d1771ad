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
  idPrefix = 'call',
): readonly ToolCall[] {
  const assigned = Array<ToolCall>(calls.length);
  for (let index = 0; index < calls.length; index += 1) {
    const { id = '', tool, args } = calls[index] as RequestedCall;
    const isUsable = id !== '' && !isCallIdTaken(id, assigned, index);
    assigned[index] = {
      id: isUsable ? id : createFreeCallId(`${idPrefix}_${request}_${index}`, assigned, index),
      tool,
      args,
    };
  }
  return assigned;
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

export function toExecution(permission: PermissionCall): CallExecution {
  return permission.decision === 'denied'
    ? { status: 'completed', call: permission.call, outcome: permission.outcome }
    : { status: 'pending', call: permission.call };
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

function createFreeCallId(preferred: string, assigned: readonly ToolCall[], count: number): string {
  let id = preferred;
  while (isCallIdTaken(id, assigned, count)) id += '_';
  return id;
}

/** A linear scan is cheaper than a set, because a reply holds only a few calls. */
function isCallIdTaken(id: string, assigned: readonly ToolCall[], count: number): boolean {
  for (let index = 0; index < count; index += 1) if (assigned[index]?.id === id) return true;
  return false;
}
