import type { Message } from '../conversation/message.ts';

/**
 * Where a conversation may be cut in two: the indexes at which a new part may begin, in order. A cut is safe when no call
 * is before it whose result is behind it, when no result begins the later part, and when no call before it still waits
 * for its result. Linear in the number of messages and calls.
 */
export function safeCuts(messages: readonly Message[]): number[] {
  const bound = furthestResults(messages);
  const cuts: number[] = [];
  let reach = 0;
  messages.forEach((message, index) => {
    if (index > 0 && index > reach && message.role !== 'tool') cuts.push(index);
    reach = Math.max(reach, bound[index] ?? 0);
  });
  return cuts;
}

/** For each message, the index of the last one that belongs to it: itself, a result, or the end for an open call. */
function furthestResults(messages: readonly Message[]): readonly number[] {
  const furthest = messages.map((_, index) => index);
  // An id is unique only within its reply, so a result belongs to the last call of that name.
  const callers = new Map<string, number>();
  const open = new Set<string>();
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      // A reply ends the round before it: what was open then is not waited for any more.
      open.clear();
      for (const { id } of message.calls) {
        callers.set(id, index);
        open.add(id);
      }
    }
    if (message.role !== 'tool') return;
    open.delete(message.callId);
    const caller = callers.get(message.callId);
    if (caller !== undefined) furthest[caller] = index;
  });
  for (const id of open) furthest[callers.get(id) ?? 0] = messages.length;
  return furthest;
}
