import { items, type Conversation, type Message } from '@pawl/core';

/**
 * What the last turn came to: the answer a finishing tool brought, or the last text of the assistant; null when there is
 * neither.
 */
export function answerOf(conversation: Conversation<Message>): string | null {
  let answer: string | null = null;
  for (const message of items(conversation)) {
    if (message.role === 'user') answer = null;
    if (message.role === 'assistant' && message.text.trim() !== '' && message.calls.length === 0)
      answer = message.text;
    if (message.role === 'tool') answer = finalAnswer(message) ?? answer;
  }
  return answer;
}

function finalAnswer({ outcome }: Extract<Message, { role: 'tool' }>): string | null {
  if (!outcome.ok || outcome.final !== true) return null;
  const { output } = outcome;
  if (typeof output === 'string') return output;
  const answer = output !== null && typeof output === 'object' && 'answer' in output ? output.answer : null;
  return typeof answer === 'string' ? answer : JSON.stringify(output);
}
