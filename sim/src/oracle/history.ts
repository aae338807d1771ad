import type { Message } from '@pawl/core';

/** What a provider would object to in a conversation; null if nothing. */
export function historyProblem(messages: readonly Message[]): string | null {
  if (messages[0]?.role !== 'user') return `it begins with ${messages[0]?.role ?? 'nothing'}`;
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const problem = message.role === 'tool' ? wrongResult(message.callId, open) : wrongMessage(message, open);
    if (problem !== null) return `message ${index} ${problem}`;
    open = message.role === 'tool' ? open.slice(1) : callsOf(message);
  }
  return open.length === 0 ? null : `the result of ${open.join(', ')} is missing`;
}

function callsOf(message: Message): readonly string[] {
  return message.role === 'assistant' ? message.calls.map(({ id }) => id) : [];
}

function wrongResult(callId: string, open: readonly string[]): string | null {
  return open[0] === callId ? null : `is the result of ${callId}, where ${open[0] ?? 'none'} is due`;
}

function wrongMessage(message: Exclude<Message, { role: 'tool' }>, open: readonly string[]): string | null {
  if (open.length > 0) return `comes before the result of ${open.join(', ')}`;
  const calls = callsOf(message);
  if (new Set(calls).size !== calls.length) return 'has the same call id twice';
  return message.role === 'assistant' && message.text === '' && calls.length === 0 ? 'is empty' : null;
}
