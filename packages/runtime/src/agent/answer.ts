import { type ConversationMessage, iterateItems, type ConversationHistory } from '@pawl/core';

/**
 * Returns the answer of the last turn: the output of a finishing tool or the assistant's last text; null if there is
 * neither.
 */
export function findTurnAnswer(conversation: ConversationHistory<ConversationMessage>): string | null {
  let answer: string | null = null;
  for (const message of iterateItems(conversation)) {
    if (message.role === 'user') answer = null;
    if (message.role === 'assistant' && message.text.trim() !== '' && message.calls.length === 0)
      answer = message.text;
    if (message.role === 'tool') answer = findToolAnswer(message) ?? answer;
  }
  return answer;
}

function findToolAnswer({ outcome }: Extract<ConversationMessage, { role: 'tool' }>): string | null {
  if (!outcome.ok || outcome.final !== true) return null;
  const { output } = outcome;
  if (typeof output === 'string') return output;
  const answer = output !== null && typeof output === 'object' && 'answer' in output ? output.answer : null;
  return typeof answer === 'string' ? answer : JSON.stringify(output);
}
