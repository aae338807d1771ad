import type { Message } from '@pawl/core';

/** What a provider would object to in a conversation; null if nothing. */
export function historyProblem(messages: readonly Message[]): string | null {
  if (messages[0]?.role !== 'user') return `it begins with ${messages[0]?.role ?? 'nothing'}`;
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open[0] !== message.callId) {
        return `message ${index} is the result of ${message.callId}, where ${open[0] ?? 'none'} is due`;
      }
      open = open.slice(1);
      continue;
    }
    if (open.length > 0) return `message ${index} comes before the result of ${open.join(', ')}`;
    if (message.role === 'assistant') {
      open = message.calls.map(({ id }) => id);
      if (new Set(open).size !== open.length) return `message ${index} has the same call id twice`;
      if (message.text === '' && open.length === 0) return `message ${index} is empty`;
    }
  }
  return open.length === 0 ? null : `the result of ${open.join(', ')} is missing`;
}
