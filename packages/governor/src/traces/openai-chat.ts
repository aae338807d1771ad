import {
  type Json,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalString,
  parseNestedJson,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import {
  getContentText,
  getResultContent,
  findMessages,
  readRunFacts,
  parseTraceTime,
  parseTraceUsage,
} from './trace-fields.ts';
import type { TraceEntry, TracePart, TraceFormat } from './trace-format.ts';
import { createMessageProblem } from './unknown-records.ts';

const chatRoles: ReadonlySet<Json | undefined> = new Set([
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
]);

/** OpenAI chat completion messages, which many other tools also write. The format does not mark failed calls. */
export const openaiChatFormat: TraceFormat = {
  name: 'openai-chat',
  sign: 'messages with a role and a content (OpenAI chat)',
  matches: (document) => (findMessages(document)?.messages ?? []).some(isChatMessage),
  parse(document, name) {
    const { messages, location } = findMessages(document) ?? { messages: [], location: '' };
    return buildRecordedRun(readRunFacts(document, name, 'openai-chat'), readChatEntries(messages, location));
  },
};

function isChatMessage(message: Json): boolean {
  if (!isJsonObject(message) || !chatRoles.has(getJsonPath(message, 'role'))) return false;
  const content = getJsonPath(message, 'content');
  return (
    typeof content === 'string' ||
    toOptionalList(content) !== undefined ||
    readChatCallParts(message).length > 0
  );
}

export function* readChatEntries(messages: readonly Json[], location: string): Generator<TraceEntry> {
  for (const [index, message] of messages.entries()) yield* readChatMessage(message, `${location}[${index}]`);
}

export function* readChatMessage(message: Json, location: string): Generator<TraceEntry> {
  const role = getJsonPath(message, 'role');
  const at =
    parseTraceTime(getJsonPath(message, 'timestamp')) ?? parseTraceTime(getJsonPath(message, 'created_at'));
  if (role === 'user') yield { type: 'user', text: getContentText(getJsonPath(message, 'content')), at };
  else if (role === 'assistant') {
    const usage = parseTraceUsage(getJsonPath(message, 'usage'));
    yield { type: 'reply', parts: [...readChatTextParts(message), ...readChatCallParts(message)], at, usage };
    yield* reportNamelessCalls(message, location);
  } else if (role === 'tool' || role === 'function') {
    yield {
      type: 'result',
      id: toOptionalId(getJsonPath(message, 'tool_call_id')),
      tool: toOptionalString(getJsonPath(message, 'name')),
      result: getResultContent(getJsonPath(message, 'content')),
      error: undefined,
      location,
    };
  } else if (!chatRoles.has(role))
    yield createMessageProblem(message, location, describeInvalidMessage(message));
}

export function describeInvalidMessage(message: Json): string {
  if (!isJsonObject(message)) return `expected a message, got ${describeJsonKind(message)}`;
  const role = getJsonPath(message, 'role');
  return typeof role === 'string' ? `a message of the unknown role ${role}` : 'a message without a role';
}

/** Reads the reasoning and the text of a message. */
export function readChatTextParts(message: Json): readonly TracePart[] {
  const thought =
    toOptionalString(getJsonPath(message, 'reasoning_content')) ??
    toOptionalString(getJsonPath(message, 'reasoning')) ??
    '';
  const text =
    getContentText(getJsonPath(message, 'content')) || getContentText(getJsonPath(message, 'refusal'));
  return [
    ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ];
}

/** Reads the calls of a message: function calls, custom tool calls, and the legacy `function_call`. */
export function readChatCallParts(message: Json): readonly TracePart[] {
  const calls = toOptionalList(getJsonPath(message, 'tool_calls')) ?? [];
  const first = getJsonPath(message, 'function_call');
  return [...calls, ...(isJsonObject(first) ? [first] : [])]
    .map(parseChatCall)
    .filter((part) => part !== null);
}

export function* reportNamelessCalls(message: Json, location: string): Generator<TraceEntry> {
  for (const [index, call] of (toOptionalList(getJsonPath(message, 'tool_calls')) ?? []).entries()) {
    if (parseChatCall(call) !== null) continue;
    yield {
      type: 'problem',
      location: `${location}.tool_calls[${index}]`,
      problem: 'a call without the name of a tool',
    };
  }
}

function parseChatCall(call: Json): TracePart | null {
  const called = getJsonPath(call, 'function') ?? getJsonPath(call, 'custom') ?? call;
  const tool = toOptionalString(getJsonPath(called, 'name'));
  if (tool === undefined) return null;
  const args = parseNestedJson(getJsonPath(called, 'arguments') ?? getJsonPath(called, 'input'));
  return { type: 'call', id: toOptionalId(getJsonPath(call, 'id')), tool, args };
}
