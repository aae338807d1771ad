import {
  type Json,
  getJsonPath,
  isJsonObject,
  parseNestedJson,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { getContentText } from './trace-fields.ts';

/** The OpenInference attributes of a span, translated to those of the GenAI conventions, and nothing else. */
export function translateOpenInference(
  attributes: Json,
  kind: string | undefined,
  name: string | undefined,
): ReadonlyMap<string, Json> {
  const nested = nestAttributes(attributes, 0);
  const translated = new Map<string, Json>();
  const set = (key: string, value: Json | undefined): void => {
    if (value !== undefined && value !== null) translated.set(key, value);
  };
  const session = getJsonPath(nested, 'session', 'id');
  set('gen_ai.conversation.id', session === '' ? undefined : session);
  if (kind?.toUpperCase() === 'LLM') {
    set('gen_ai.operation.name', 'chat');
    set('gen_ai.request.model', getJsonPath(nested, 'llm', 'model_name'));
    set('gen_ai.usage.output_tokens', getJsonPath(nested, 'llm', 'token_count', 'completion'));
    set('gen_ai.usage.input_tokens', getJsonPath(nested, 'llm', 'token_count', 'prompt'));
    set('gen_ai.input.messages', listMessages(getJsonPath(nested, 'llm', 'input_messages')));
    set('gen_ai.output.messages', listOutputMessages(nested));
  } else if (kind?.toUpperCase() === 'TOOL') {
    set('gen_ai.operation.name', 'execute_tool');
    set('gen_ai.tool.name', getJsonPath(nested, 'tool', 'name') ?? name);
    set('gen_ai.tool.call.id', getJsonPath(nested, 'tool_call', 'id') ?? getJsonPath(nested, 'tool', 'id'));
    set('gen_ai.tool.call.arguments', readToolInput(nested));
    set('gen_ai.tool.call.result', getJsonPath(nested, 'output', 'value'));
  } else set('gen_ai.operation.name', kind);
  return translated;
}

/** Names of attributes have a few parts; deeper values are left as they are. */
const attributeDepthMax = 20;

/** Turns dotted names into nested objects: `llm.input_messages.0.message.role` is the role of the first message. */
function nestAttributes(value: Json, depth: number): Json {
  const items = toOptionalList(value);
  if (depth > attributeDepthMax) return value;
  if (items !== undefined) return items.map((item) => nestAttributes(item, depth + 1));
  if (!isJsonObject(value)) return value;
  const nested = new Map<string, Json>();
  const groups = new Map<string, [string, Json][]>();
  for (const [name, inner] of Object.entries(value)) {
    const dot = name.indexOf('.');
    if (dot === -1) nested.set(name, nestAttributes(inner, depth + 1));
    else {
      const group = groups.get(name.slice(0, dot)) ?? [];
      group.push([name.slice(dot + 1), inner]);
      groups.set(name.slice(0, dot), group);
    }
  }
  for (const [name, entries] of groups)
    nested.set(name, nestAttributes(Object.fromEntries(entries), depth + 1));
  return Object.fromEntries(nested);
}

/** A list may be an object with the indexes as names. */
function listIndexed(value: Json | undefined): readonly Json[] {
  const items = toOptionalList(parseNestedJson(value));
  if (items !== undefined) return items;
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, item]) => item);
}

function listMessages(messages: Json | undefined): Json | undefined {
  const items = listIndexed(messages);
  return items.length === 0 ? undefined : items.map(translateMessage);
}

function translateMessage(item: Json): Json {
  const message = getJsonPath(item, 'message') ?? item;
  const role = toOptionalString(getJsonPath(message, 'role')) ?? '';
  const text = getMessageText(message);
  if (role.startsWith('tool')) {
    const id = getJsonPath(message, 'tool_call_id');
    // A result without an id cannot be told from those of earlier requests.
    return {
      role: 'tool',
      parts: id === undefined ? [] : [{ type: 'tool_call_response', id, response: text }],
    };
  }
  return {
    role: role === 'human' ? 'user' : role,
    parts: [
      ...(text === '' ? [] : [{ type: 'text', content: text }]),
      ...listIndexed(getJsonPath(message, 'tool_calls')).map(translateCall),
    ],
  };
}

function getMessageText(message: Json): string {
  const content = getContentText(getJsonPath(message, 'content'));
  if (content !== '') return content;
  return listIndexed(getJsonPath(message, 'contents'))
    .map((item) => toOptionalString(getJsonPath(item, 'message_content', 'text')) ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

function translateCall(item: Json): Json {
  const call = getJsonPath(item, 'tool_call') ?? item;
  return {
    type: 'tool_call',
    id: getJsonPath(call, 'id') ?? null,
    name: getJsonPath(call, 'function', 'name') ?? 'unknown',
    arguments: getJsonPath(call, 'function', 'arguments') ?? null,
  };
}

/** Without messages, the output itself is the reply. */
function listOutputMessages(nested: Json): Json | undefined {
  const messages = listMessages(getJsonPath(nested, 'llm', 'output_messages'));
  if (messages !== undefined) return messages;
  const output = toOptionalString(getJsonPath(nested, 'output', 'value'));
  return output === undefined
    ? undefined
    : [{ role: 'assistant', parts: [{ type: 'text', content: output }] }];
}

/** smolagents wraps the arguments of a tool with those of the Python call. */
function readToolInput(nested: Json): Json | undefined {
  const input = parseNestedJson(
    getJsonPath(nested, 'input', 'value') ?? getJsonPath(nested, 'tool_call', 'function', 'arguments'),
  );
  const [named, listed] = [getJsonPath(input, 'kwargs'), toOptionalList(getJsonPath(input, 'args'))];
  if (!isJsonObject(named) || listed === undefined) return input;
  return listed.length === 0 ? named : { ...named, args: listed };
}
