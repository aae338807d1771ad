import { toArray, type Json, type Message } from '@pawl/core';
import { maskSecrets } from '@pawl/runtime';
import type { Ended } from './ended.ts';
import type { Happening } from './happening.ts';
import { attribute } from './semconv.ts';

type Attributes = Readonly<Record<string, string>>;

/** So much of one text, and so many messages of a conversation, are sent. */
const textMax = 4_000;
const messagesMax = 50;

/** What was said and what came of it, in the form that the conventions have for it, without secrets. */
export function contentOf({ work, end }: Ended, { seen }: Happening, secrets: readonly string[]): Attributes {
  const { event } = seen;
  const text = (value: unknown): string => JSON.stringify(maskSecrets(value, { secrets, textMax }));
  if (work.kind === 'model') {
    const input = toArray(work.conversation).slice(-messagesMax).map(messageParts);
    const said = event.type === 'model-replied' ? [replyParts(event)] : [];
    return {
      [attribute.inputMessages]: text(input),
      ...(said.length > 0 && { [attribute.outputMessages]: text(said) }),
      ...(event.type === 'model-failed' && { [attribute.exceptionMessage]: text(event.error.message) }),
    };
  }
  if (work.kind !== 'tool') return {};
  const isOurs = event.type === 'tool-finished' && end.kind !== 'called-off';
  return {
    [attribute.toolArguments]: text(work.call.args),
    ...(isOurs && {
      [attribute.toolResult]: text(event.outcome.ok ? event.outcome.output : event.outcome.error),
    }),
  };
}

type Part = { readonly type: string; readonly [key: string]: Json };

function messageParts(message: Message): { readonly role: string; readonly parts: readonly Part[] } {
  const { role } = message;
  if (role === 'user') return { role, parts: [textPart(message.text)] };
  if (role === 'assistant') return { role, parts: [textPart(message.text), ...message.calls.map(callPart)] };
  const { callId: id, outcome } = message;
  const response = outcome.ok ? outcome.output : { ...outcome.error };
  return { role, parts: [{ type: 'tool_call_response', id, response }] };
}

type Replied = Extract<Happening['seen']['event'], { readonly type: 'model-replied' }>;

function replyParts({ text, calls }: Replied): object {
  return {
    role: 'assistant',
    parts: [textPart(text), ...calls.map(callPart)],
    finish_reason: finishReason(calls.length),
  };
}

export function finishReason(calls: number): string {
  return calls > 0 ? 'tool_call' : 'stop';
}

function textPart(content: string): Part {
  return { type: 'text', content };
}

function callPart({
  id,
  tool,
  args,
}: {
  readonly id?: string;
  readonly tool: string;
  readonly args: Json;
}): Part {
  return { type: 'tool_call', ...(id !== undefined && { id }), name: tool, arguments: args };
}
