import type { ConversationMessage } from '../conversation/message.ts';

/**
 * Returns the indexes at which a conversation may be split, in order. A cut is safe if no call before it has its result
 * after it, if the later part does not begin with a result, and if no call before it still waits for its result. Linear
 * in the number of messages and calls.
 */
export function findSafeCuts(messages: readonly ConversationMessage[]): number[] {
  const furthestResults = findFurthestResults(messages);
  const cuts: number[] = [];
  let openUntil = 0;
  messages.forEach((message, index) => {
    if (index > 0 && index > openUntil && message.role !== 'tool') cuts.push(index);
    openUntil = Math.max(openUntil, furthestResults[index] ?? 0);
  });
  return cuts;
}

/**
 * For each message, the index of the last message that belongs to it: itself, a result, or the end for an open call.
 */
function findFurthestResults(messages: readonly ConversationMessage[]): readonly number[] {
  const furthest = messages.map((_, index) => index);
  // An id is unique only within its reply, so a result belongs to the latest call with that id.
  const callIndexes = new Map<string, number>();
  const open = new Set<string>();
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      // A reply ends the previous round, so calls still open then get no result anymore.
      open.clear();
      for (const { id } of message.calls) {
        callIndexes.set(id, index);
        open.add(id);
      }
    }
    if (message.role !== 'tool') return;
    open.delete(message.callId);
    const callIndex = callIndexes.get(message.callId);
    if (callIndex !== undefined) furthest[callIndex] = index;
  });
  for (const id of open) furthest[callIndexes.get(id) ?? 0] = messages.length;
  return furthest;
}
