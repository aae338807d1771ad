import {
  type Json,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  describeJsonKind,
  toOptionalList,
  toOptionalString,
  getTypeName,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import {
  getContentText,
  getResultContent,
  findMessages,
  readRunFacts,
  parseTraceUsage,
} from './trace-fields.ts';
import type { TraceEntry, TracePart, TraceFormat } from './trace-format.ts';
import { readChatCallParts } from './openai-chat.ts';
import { createMessageProblem } from './unknown-records.ts';

/** LangChain and LangGraph messages, serialized as constructors (`lc`) or as plain objects with a type. */
export const langchainFormat: TraceFormat = {
  name: 'langchain',
  sign: 'messages with lc, or of the types human, ai and tool (LangChain)',
  matches: (document) =>
    getLangchainMessages(document).messages.some((message) => unwrapLangchainMessage(message) !== null),
  parse(document, name) {
    const { messages, location } = getLangchainMessages(document);
    return buildRecordedRun(
      readRunFacts(document, name, 'langchain'),
      readLangchainEntries(messages, location),
    );
  },
};

/** A batch holds its messages in a list of lists; only the first conversation is read. */
function getLangchainMessages(document: Json): {
  readonly messages: readonly Json[];
  readonly location: string;
} {
  const found = findMessages(document) ?? { messages: [], location: '' };
  const inner = found.messages.length === 1 ? toOptionalList(found.messages[0]) : undefined;
  return inner === undefined ? found : { messages: inner, location: `${found.location}[0]` };
}

type LangchainKind = 'human' | 'ai' | 'tool' | 'function' | 'system';

const langchainKinds: Readonly<Record<string, LangchainKind>> = {
  human: 'human',
  HumanMessage: 'human',
  ai: 'ai',
  AIMessage: 'ai',
  tool: 'tool',
  ToolMessage: 'tool',
  function: 'function',
  FunctionMessage: 'function',
  system: 'system',
  SystemMessage: 'system',
  developer: 'system',
  remove: 'system',
  chat: 'human',
  ChatMessage: 'human',
};

/** Returns the kind of a message and the object with its fields. */
function unwrapLangchainMessage(
  message: Json,
): { readonly kind: LangchainKind; readonly fields: Json } | null {
  if (!isJsonObject(message) || typeof getJsonPath(message, 'role') === 'string') return null;
  const isConstructor = getJsonPath(message, 'type') === 'constructor';
  const kind = toLangchainKind(
    isConstructor ? toOptionalList(getJsonPath(message, 'id'))?.at(-1) : getJsonPath(message, 'type'),
  );
  const fields = isConstructor ? getJsonPath(message, 'kwargs') : (getJsonPath(message, 'data') ?? message);
  if (kind === undefined || fields === undefined || getJsonPath(fields, 'content') === undefined) return null;
  return { kind, fields };
}

function toLangchainKind(value: Json | undefined): LangchainKind | undefined {
  const name = (toOptionalString(value) ?? '').replace(/Chunk$/, '');
  return Object.hasOwn(langchainKinds, name) ? langchainKinds[name] : undefined;
}

function* readLangchainEntries(messages: readonly Json[], location: string): Generator<TraceEntry> {
  for (const [index, message] of messages.entries()) {
    const found = unwrapLangchainMessage(message);
    const here = `${location}[${index}]`;
    if (found !== null) yield* readLangchainMessage(found.kind, found.fields, here);
    else if (isJsonObject(message)) yield createMessageProblem(message, here, 'a message of an unknown type');
    else
      yield {
        type: 'problem',
        location: here,
        problem: `expected a message, got ${describeJsonKind(message)}`,
      };
  }
}

function* readLangchainMessage(kind: LangchainKind, fields: Json, location: string): Generator<TraceEntry> {
  const content = getJsonPath(fields, 'content');
  if (kind === 'human') yield { type: 'user', text: getContentText(content) };
  else if (kind === 'ai') {
    const usage =
      parseTraceUsage(getJsonPath(fields, 'usage_metadata')) ??
      parseTraceUsage(getJsonPath(fields, 'response_metadata', 'token_usage'));
    yield { type: 'reply', parts: [...readLangchainContent(content), ...readLangchainCalls(fields)], usage };
  } else if (kind !== 'system') {
    const status = getJsonPath(fields, 'status');
    yield {
      type: 'result',
      id: toOptionalId(getJsonPath(fields, 'tool_call_id')),
      tool: toOptionalString(getJsonPath(fields, 'name')),
      result: getResultContent(content),
      error: typeof status === 'string' ? status === 'error' : undefined,
      location,
    };
  }
}

/** Calls also occur in the content in the provider's format; they are read from their own list instead. */
function readLangchainContent(content: Json | undefined): readonly TracePart[] {
  const parts = toOptionalList(content);
  const thoughts = (parts ?? [])
    .filter(isLangchainThought)
    .map((part) => toOptionalString(getJsonPath(part, 'thinking')) ?? getContentText(part));
  const text = getContentText(parts === undefined ? content : parts.filter(isLangchainText));
  return [
    ...thoughts.map((thought) => ({ type: 'thought', text: thought }) as const),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ];
}

function isLangchainThought(part: Json): boolean {
  return /^(?:thinking|reasoning)/.test(getTypeName(part));
}

function isLangchainText(part: Json): boolean {
  return (
    !isLangchainThought(part) && (typeof part === 'string' || typeof getJsonPath(part, 'text') === 'string')
  );
}

/** Reads the calls, including those with invalid arguments; uses the provider's list only if there is no other. */
function readLangchainCalls(fields: Json): readonly TracePart[] {
  const calls = [
    ...(toOptionalList(getJsonPath(fields, 'tool_calls')) ?? []),
    ...(toOptionalList(getJsonPath(fields, 'invalid_tool_calls')) ?? []),
  ];
  if (calls.length === 0) return readChatCallParts(getJsonPath(fields, 'additional_kwargs') ?? null);
  return calls.map((call) => ({
    type: 'call',
    id: toOptionalId(getJsonPath(call, 'id')),
    tool: toOptionalString(getJsonPath(call, 'name')) ?? 'unknown',
    args: getJsonPath(call, 'args'),
  }));
}
