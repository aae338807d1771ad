import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { contentText, resultOf } from './content.ts';
import type { Entry, Part } from './entry.ts';
import { get, idOf, isObject, kindOf, listOf, stringOf, typeOf } from '../json-fields.ts';
import { callParts } from './openai-chat.ts';
import { messagesOf, runFacts } from './run-facts.ts';
import { usageOf } from './tokens.ts';
import type { TraceFormat } from './trace-format.ts';

/** Messages of LangChain and LangGraph, serialised as constructors (`lc`) or as plain objects with a type. */
export const langchain: TraceFormat = {
  name: 'langchain',
  sign: 'messages with lc, or of the types human, ai and tool (LangChain)',
  recognise: (document) => listIn(document).messages.some((message) => opened(message) !== null),
  parse(document, name) {
    const { messages, where } = listIn(document);
    return buildRun(runFacts(document, name, 'langchain'), entries(messages, where));
  },
};

/** A batch of conversations holds its messages in a list of lists; the first is read. */
function listIn(document: Json): { readonly messages: readonly Json[]; readonly where: string } {
  const found = messagesOf(document) ?? { messages: [], where: '' };
  const inner = found.messages.length === 1 ? listOf(found.messages[0]) : undefined;
  return inner === undefined ? found : { messages: inner, where: `${found.where}[0]` };
}

type Kind = 'human' | 'ai' | 'tool' | 'function' | 'system';

const kinds: Readonly<Record<string, Kind>> = {
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

/** The kind of a message and the object with its fields. */
function opened(message: Json): { readonly kind: Kind; readonly fields: Json } | null {
  if (!isObject(message) || typeof get(message, 'role') === 'string') return null;
  const isConstructor = get(message, 'type') === 'constructor';
  const kind = kindNamed(isConstructor ? listOf(get(message, 'id'))?.at(-1) : get(message, 'type'));
  const fields = isConstructor ? get(message, 'kwargs') : (get(message, 'data') ?? message);
  if (kind === undefined || fields === undefined || get(fields, 'content') === undefined) return null;
  return { kind, fields };
}

function kindNamed(value: Json | undefined): Kind | undefined {
  const name = (stringOf(value) ?? '').replace(/Chunk$/, '');
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

function* entries(messages: readonly Json[], where: string): Generator<Entry> {
  for (const [index, message] of messages.entries()) {
    const found = opened(message);
    const here = `${where}[${index}]`;
    if (found !== null) yield* messageEntries(found.kind, found.fields, here);
    else if (isObject(message))
      yield { type: 'problem', where: here, problem: 'a message of an unknown type' };
    else yield { type: 'problem', where: here, problem: `expected a message, got ${kindOf(message)}` };
  }
}

function* messageEntries(kind: Kind, fields: Json, where: string): Generator<Entry> {
  const content = get(fields, 'content');
  if (kind === 'human') yield { type: 'user', text: contentText(content) };
  else if (kind === 'ai') {
    const usage =
      usageOf(get(fields, 'usage_metadata')) ?? usageOf(get(fields, 'response_metadata', 'token_usage'));
    yield { type: 'reply', parts: [...saidParts(content), ...callsOf(fields)], usage };
  } else if (kind !== 'system') {
    const status = get(fields, 'status');
    yield {
      type: 'result',
      id: idOf(get(fields, 'tool_call_id')),
      tool: stringOf(get(fields, 'name')),
      result: resultOf(content),
      error: typeof status === 'string' ? status === 'error' : undefined,
      where,
    };
  }
}

/** Calls are in the content too, as the provider wrote them; they are read from their own list. */
function saidParts(content: Json | undefined): readonly Part[] {
  const parts = listOf(content);
  const thoughts = (parts ?? [])
    .filter(isThought)
    .map((part) => stringOf(get(part, 'thinking')) ?? contentText(part));
  const text = contentText(parts === undefined ? content : parts.filter(isSaid));
  return [
    ...thoughts.map((thought) => ({ type: 'thought', text: thought }) as const),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ];
}

function isThought(part: Json): boolean {
  return /^(?:thinking|reasoning)/.test(typeOf(part));
}

function isSaid(part: Json): boolean {
  return !isThought(part) && (typeof part === 'string' || typeof get(part, 'text') === 'string');
}

/** The calls, those with broken arguments too; the provider's own list only where there is no other. */
function callsOf(fields: Json): readonly Part[] {
  const calls = [
    ...(listOf(get(fields, 'tool_calls')) ?? []),
    ...(listOf(get(fields, 'invalid_tool_calls')) ?? []),
  ];
  if (calls.length === 0) return callParts(get(fields, 'additional_kwargs') ?? null);
  return calls.map((call) => ({
    type: 'call',
    id: idOf(get(call, 'id')),
    tool: stringOf(get(call, 'name')) ?? 'unknown',
    args: get(call, 'args'),
  }));
}
