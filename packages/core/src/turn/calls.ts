import { append } from '../conversation/conversation.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Call, Message } from '../conversation/message.ts';
import type { RequestedCall } from '../event.ts';
import { failure } from './results.ts';
import type { Execution, PermissionCall } from './state.ts';

/**
 * The calls of a reply with an id each that no other call of the reply has. Models leave ids out and use them twice;
 * such a call gets one made from the request, so that results can never be told to the wrong call.
 */
export function withIds(calls: readonly RequestedCall[], request: number, word = 'call'): readonly Call[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const { id = '', tool, args } = call;
    const own = id === '' || taken.has(id) ? freshId(taken, `${word}_${request}_${index}`) : id;
    taken.add(own);
    return { id: own, tool, args };
  });
}

export function askedFor(calls: readonly Call[], requested: readonly RequestedCall[]): PermissionCall[] {
  return calls.map((call, index) => {
    switch (requested[index]?.permission) {
      case 'ask':
        return { decision: 'pending', call };
      case 'deny':
        return { decision: 'denied', call, outcome: failure('denied', 'A rule does not allow this call.') };
      case 'allow':
      case undefined:
        return { decision: 'allowed', call };
    }
  });
}

export function toExecution(decided: PermissionCall): Execution {
  return decided.decision === 'denied'
    ? { status: 'completed', call: decided.call, outcome: decided.outcome }
    : { status: 'pending', call: decided.call };
}

/** The assistant's message joins the conversation; one with neither text nor calls is nothing a model may be sent. */
export function withReply(
  conversation: Conversation<Message>,
  reply: { readonly text: string; readonly calls: readonly Call[]; readonly at: number },
): Conversation<Message> {
  const { text, calls, at } = reply;
  if (text === '' && calls.length === 0) return conversation;
  return append(conversation, { role: 'assistant', at, text, calls });
}

function freshId(taken: ReadonlySet<string>, wanted: string): string {
  let id = wanted;
  while (taken.has(id)) id += '_';
  return id;
}
