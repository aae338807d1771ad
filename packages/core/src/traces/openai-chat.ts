import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { contentText, resultOf } from './content.ts';
import type { Entry, Part } from './entry.ts';
import { get, idOf, isObject, kindOf, listOf, stringOf, unpacked } from '../json-fields.ts';
import { messagesOf, runFacts } from './run-facts.ts';
import { timeOf } from './time.ts';
import { usageOf } from './tokens.ts';
import type { TraceFormat } from './trace-format.ts';

const roles: ReadonlySet<Json | undefined> = new Set([
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
]);

/** Messages of OpenAI's chat completions, which many others write as well. Nothing in it marks a failed call. */
export const openaiChat: TraceFormat = {
  name: 'openai-chat',
  sign: 'messages with a role and a content (OpenAI chat)',
  recognise: (document) => (messagesOf(document)?.messages ?? []).some(isChatMessage),
  parse(document, name) {
    const { messages, where } = messagesOf(document) ?? { messages: [], where: '' };
    return buildRun(runFacts(document, name, 'openai-chat'), chatEntries(messages, where));
  },
};

function isChatMessage(message: Json): boolean {
  if (!isObject(message) || !roles.has(get(message, 'role'))) return false;
  const content = get(message, 'content');
  return typeof content === 'string' || listOf(content) !== undefined || callParts(message).length > 0;
}

export function* chatEntries(messages: readonly Json[], where: string): Generator<Entry> {
  for (const [index, message] of messages.entries()) yield* chatEntry(message, `${where}[${index}]`);
}

function* chatEntry(message: Json, where: string): Generator<Entry> {
  const role = get(message, 'role');
  const at = timeOf(get(message, 'timestamp')) ?? timeOf(get(message, 'created_at'));
  if (role === 'user') yield { type: 'user', text: contentText(get(message, 'content')), at };
  else if (role === 'assistant') {
    const usage = usageOf(get(message, 'usage'));
    yield { type: 'reply', parts: [...saidParts(message), ...callParts(message)], at, usage };
    yield* namelessCalls(message, where);
  } else if (role === 'tool' || role === 'function') {
    yield {
      type: 'result',
      id: idOf(get(message, 'tool_call_id')),
      tool: stringOf(get(message, 'name')),
      result: resultOf(get(message, 'content')),
      error: undefined,
      where,
    };
  } else if (!roles.has(role)) yield { type: 'problem', where, problem: notAMessage(message) };
}

export function notAMessage(message: Json): string {
  if (!isObject(message)) return `expected a message, got ${kindOf(message)}`;
  const role = get(message, 'role');
  return typeof role === 'string' ? `a message of the unknown role ${role}` : 'a message without a role';
}

/** What the model thought and what it said. */
export function saidParts(message: Json): readonly Part[] {
  const thought = stringOf(get(message, 'reasoning_content')) ?? stringOf(get(message, 'reasoning')) ?? '';
  const text = contentText(get(message, 'content')) || contentText(get(message, 'refusal'));
  return [
    ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ];
}

/** The calls of a message: of functions, of custom tools, and the single one of the first version. */
export function callParts(message: Json): readonly Part[] {
  const calls = listOf(get(message, 'tool_calls')) ?? [];
  const first = get(message, 'function_call');
  return [...calls, ...(isObject(first) ? [first] : [])].map(callPart).filter((part) => part !== null);
}

export function* namelessCalls(message: Json, where: string): Generator<Entry> {
  for (const [index, call] of (listOf(get(message, 'tool_calls')) ?? []).entries()) {
    if (callPart(call) !== null) continue;
    yield {
      type: 'problem',
      where: `${where}.tool_calls[${index}]`,
      problem: 'a call without the name of a tool',
    };
  }
}

function callPart(call: Json): Part | null {
  const called = get(call, 'function') ?? get(call, 'custom') ?? call;
  const tool = stringOf(get(called, 'name'));
  if (tool === undefined) return null;
  const args = unpacked(get(called, 'arguments') ?? get(called, 'input'));
  return { type: 'call', id: idOf(get(call, 'id')), tool, args };
}
