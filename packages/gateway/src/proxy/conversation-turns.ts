import type { Json } from '@pawl/governor';
import {
  getObjectField,
  toJsonFields,
  getListField,
  getOwnField,
  getStringField,
  type JsonFields,
} from '../json-fields.ts';
import { joinTextBlocks, type ProviderTokenUsage } from './wire-format.ts';

/** A part of a message, independent of the wire format. One message may contain several. */
export type ConversationTurn =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'reply'; readonly text: string; readonly calls: readonly TurnCall[] }
  | { readonly kind: 'result'; readonly id: string; readonly output: Json; readonly failed: boolean };

type TurnCall = { readonly id: string; readonly tool: string; readonly args: Json };

/** Parses the parts of a message. Instructions yield none. */
export function parseMessageTurns(message: JsonFields): readonly ConversationTurn[] {
  const content = getOwnField(message, 'content');
  switch (getStringField(message, 'role')) {
    case 'user':
      return [...parseToolResults(message), ...parseUserTurns(content)];
    case 'assistant':
      return [
        {
          kind: 'reply',
          text: joinTextBlocks(content),
          calls: [...parseChatCalls(message), ...parseBlockCalls(message)],
        },
      ];
    case 'tool':
      return [
        {
          kind: 'result',
          id: getStringField(message, 'tool_call_id'),
          output: content ?? null,
          failed: false,
        },
      ];
    default:
      return [];
  }
}

/** Fingerprints a message by its text and calls, independent of its formatting. */
export function fingerprintMessage(message: JsonFields): string {
  const turns = parseMessageTurns(message).map((turn) =>
    turn.kind === 'reply'
      ? fingerprintReply(
          turn.text,
          turn.calls.map(({ id }) => id),
        )
      : JSON.stringify(turn),
  );
  return turns.length === 0 ? getStringField(message, 'role') : turns.join('\n');
}

/** Fingerprints a reply; trims the text, because clients may trim it too. */
export function fingerprintReply(text: string, calls: readonly string[]): string {
  return JSON.stringify(['replied', text.trim(), calls]);
}

/** Adds the known token usage to a message that does not carry it. */
export function attachUsage(
  message: JsonFields,
  usages: ReadonlyMap<string, ProviderTokenUsage>,
): JsonFields {
  if (usages.size === 0 || getStringField(message, 'role') !== 'assistant') return message;
  const usage = usages.get(fingerprintMessage(message));
  return usage === undefined ? message : { ...message, usage };
}

function parseUserTurns(content: Json | undefined): readonly ConversationTurn[] {
  const text = joinTextBlocks(content);
  return text === '' ? [] : [{ kind: 'user', text }];
}

function parseToolResults(message: JsonFields): readonly ConversationTurn[] {
  return getListField(message, 'content')
    .map((block) => toJsonFields(block) ?? {})
    .filter((block) => getStringField(block, 'type') === 'tool_result')
    .map((block) => ({
      kind: 'result',
      id: getStringField(block, 'tool_use_id'),
      output: getOwnField(block, 'content') ?? null,
      failed: getOwnField(block, 'is_error') === true,
    }));
}

function parseChatCalls(message: JsonFields): readonly TurnCall[] {
  return getListField(message, 'tool_calls').map((each) => {
    const call = toJsonFields(each) ?? {};
    const fn = getObjectField(call, 'function');
    return {
      id: getStringField(call, 'id'),
      tool: getStringField(fn, 'name'),
      args: parseTurnArguments(getStringField(fn, 'arguments')),
    };
  });
}

function parseBlockCalls(message: JsonFields): readonly TurnCall[] {
  return getListField(message, 'content')
    .map((block) => toJsonFields(block) ?? {})
    .filter((block) => getStringField(block, 'type') === 'tool_use')
    .map((block) => ({
      id: getStringField(block, 'id'),
      tool: getStringField(block, 'name'),
      args: getOwnField(block, 'input') ?? null,
    }));
}

/** Arguments arrive as the text that the model wrote. */
function parseTurnArguments(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
