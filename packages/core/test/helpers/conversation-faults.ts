import { toItemArray, type ConversationHistory, type ConversationMessage } from '../../src/index.ts';

/** What a model's provider would object to in a conversation; nothing when it is fit to be sent. */
export function findConversationFaults(
  conversation: ConversationHistory<ConversationMessage>,
): readonly string[] {
  const messages = toItemArray(conversation);
  const problems: string[] = [];
  if (messages.length !== conversation.length)
    problems.push(`${messages.length} messages, not ${conversation.length}`);
  let index = 0;
  while (index < messages.length) {
    const message = messages[index];
    index += 1;
    if (message === undefined || message.role === 'user') continue;
    if (message.role === 'tool') {
      problems.push(`${index}: the result of ${message.callId} follows no call`);
      continue;
    }
    const { calls, text } = message;
    const ids = calls.map((call) => call.id);
    if (text === '' && calls.length === 0) problems.push(`${index}: empty`);
    if (new Set(ids).size !== ids.length || ids.includes(''))
      problems.push(`${index}: ids ${ids.join(', ')}`);
    const wanted = calls.map((call) => `${call.id} of ${call.tool}`);
    const match = messages.slice(index, index + calls.length).map(describeResultMessage);
    if (wanted.join() !== match.join())
      return [...problems, `${index}: calls ${wanted.join()}, then ${match.join()}`];
    index += calls.length;
  }
  return problems;
}

function describeResultMessage(message: ConversationMessage): string {
  return message.role === 'tool' ? `${message.callId} of ${message.tool}` : message.role;
}
