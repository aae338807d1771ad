import type { Json } from '@pawl/core';
import { fieldsIn, fieldsOf, listIn, own, textIn, type Fields } from '../json-fields.ts';
import { contentText } from './content.ts';
import type { TokenUsage } from './wire.ts';

/** What a message of a conversation says, whichever the wire. One message may say several of these. */
export type Turn =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'replied'; readonly text: string; readonly calls: readonly TurnCall[] }
  | { readonly kind: 'result'; readonly id: string; readonly output: Json; readonly failed: boolean };

type TurnCall = { readonly id: string; readonly tool: string; readonly args: Json };

/** What a message says. Instructions say nothing here. */
export function turnsIn(message: Fields): readonly Turn[] {
  const content = own(message, 'content');
  switch (textIn(message, 'role')) {
    case 'user':
      return [...resultsIn(message), ...saidIn(content)];
    case 'assistant':
      return [
        {
          kind: 'replied',
          text: contentText(content),
          calls: [...chatCalls(message), ...blockCalls(message)],
        },
      ];
    case 'tool':
      return [
        { kind: 'result', id: textIn(message, 'tool_call_id'), output: content ?? null, failed: false },
      ];
    default:
      return [];
  }
}

/** Tells a message from others: what it says and which calls it is about, not how it is written. */
export function fingerprint(message: Fields): string {
  const turns = turnsIn(message).map((turn) =>
    turn.kind === 'replied'
      ? replyMark(
          turn.text,
          turn.calls.map(({ id }) => id),
        )
      : JSON.stringify(turn),
  );
  return turns.length === 0 ? textIn(message, 'role') : turns.join('\n');
}

/** Tells a reply from others. Clients may trim what they were told. */
export function replyMark(text: string, calls: readonly string[]): string {
  return JSON.stringify(['replied', text.trim(), calls]);
}

/** A message with what it took, where that is known and the message does not say so itself. */
export function withUsage(message: Fields, usages: ReadonlyMap<string, TokenUsage>): Fields {
  if (usages.size === 0 || textIn(message, 'role') !== 'assistant') return message;
  const usage = usages.get(fingerprint(message));
  return usage === undefined ? message : { ...message, usage };
}

function saidIn(content: Json | undefined): readonly Turn[] {
  const text = contentText(content);
  return text === '' ? [] : [{ kind: 'said', text }];
}

function resultsIn(message: Fields): readonly Turn[] {
  return listIn(message, 'content')
    .map((block) => fieldsOf(block) ?? {})
    .filter((block) => textIn(block, 'type') === 'tool_result')
    .map((block) => ({
      kind: 'result',
      id: textIn(block, 'tool_use_id'),
      output: own(block, 'content') ?? null,
      failed: own(block, 'is_error') === true,
    }));
}

function chatCalls(message: Fields): readonly TurnCall[] {
  return listIn(message, 'tool_calls').map((each) => {
    const call = fieldsOf(each) ?? {};
    const called = fieldsIn(call, 'function');
    return {
      id: textIn(call, 'id'),
      tool: textIn(called, 'name'),
      args: parsed(textIn(called, 'arguments')),
    };
  });
}

function blockCalls(message: Fields): readonly TurnCall[] {
  return listIn(message, 'content')
    .map((block) => fieldsOf(block) ?? {})
    .filter((block) => textIn(block, 'type') === 'tool_use')
    .map((block) => ({
      id: textIn(block, 'id'),
      tool: textIn(block, 'name'),
      args: own(block, 'input') ?? null,
    }));
}

/** Arguments come as the text that the model wrote. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
