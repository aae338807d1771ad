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
  const named = Array<Call>(calls.length);
  for (let index = 0; index < calls.length; index += 1) {
    const { id = '', tool, args } = calls[index] as RequestedCall;
    const isUsable = id !== '' && !isTaken(id, named, index);
    named[index] = { id: isUsable ? id : freshId(`${word}_${request}_${index}`, named, index), tool, args };
  }
  return named;
}

export function isAllowed({ permission = 'allow' }: RequestedCall): boolean {
  return permission === 'allow';
}

export function askedFor(calls: readonly Call[], requested: readonly RequestedCall[]): PermissionCall[] {
  return calls.map((call, index) => {
    const { permission, because } = requested[index] ?? {};
    switch (permission) {
      case 'ask':
        return { decision: 'pending', call };
      case 'deny':
        return {
          decision: 'denied',
          call,
          outcome: failure('denied', because ?? 'A rule does not allow this call.'),
        };
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

function freshId(wanted: string, named: readonly Call[], count: number): string {
  let id = wanted;
  while (isTaken(id, named, count)) id += '_';
  return id;
}

/** A reply holds a handful of calls: looking through those named so far costs less than keeping a set. */
function isTaken(id: string, named: readonly Call[], count: number): boolean {
  for (let index = 0; index < count; index += 1) if (named[index]?.id === id) return true;
  return false;
}
