import { appendItem } from '../conversation/conversation.ts';
import type { ConversationHistory } from '../conversation/conversation.ts';
import type { ToolCall, ConversationMessage } from '../conversation/message.ts';
import type { RequestedCall } from '../event.ts';
import { createFailedOutcome } from './results.ts';
import type { CallExecution, PermissionCall } from './state.ts';

export function isAllowedCall({ permission = 'allow' }: RequestedCall): boolean {
  return permission === 'allow';
}

export function toPermissionCalls(
  calls: readonly ToolCall[],
  requested: readonly RequestedCall[],
): PermissionCall[] {
  return calls.map((call, index) => {
    const { permission, denialReason } = requested[index] ?? {};
    switch (permission) {
      case 'ask':
        return { decision: 'pending', call };
      case 'deny':
        return {
          decision: 'denied',
          call,
          outcome: createFailedOutcome('denied', denialReason ?? 'A rule does not allow this call.'),
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
