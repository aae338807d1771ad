import type { ConversationMessage } from '@pawl/core';

/** Returns why a provider would reject the conversation, or null if it is valid. */
export function findHistoryProblem(messages: readonly ConversationMessage[]): string | null {
  if (messages[0]?.role !== 'user') return `it starts with ${messages[0]?.role ?? 'nothing'}`;
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const problem =
      message.role === 'tool' ? findResultProblem(message.callId, open) : findMessageProblem(message, open);
    if (problem !== null) return `message ${index} ${problem}`;
    open = message.role === 'tool' ? open.slice(1) : listMessageCallIds(message);
  }
  return open.length === 0 ? null : `the result of ${open.join(', ')} is missing`;
}

function listMessageCallIds(message: ConversationMessage): readonly string[] {
  return message.role === 'assistant' ? message.calls.map(({ id }) => id) : [];
}

function findResultProblem(callId: string, open: readonly string[]): string | null {
  return open[0] === callId ? null : `is the result of ${callId}, expected ${open[0] ?? 'none'}`;
}

function findMessageProblem(
  message: Exclude<ConversationMessage, { role: 'tool' }>,
  open: readonly string[],
): string | null {
  if (open.length > 0) return `comes before the result of ${open.join(', ')}`;
  const calls = listMessageCallIds(message);
  if (new Set(calls).size !== calls.length) return 'has the same call id twice';
  return message.role === 'assistant' && message.text === '' && calls.length === 0 ? 'is empty' : null;
}
