import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { contentText } from './content.ts';
import type { Entry, Outcome, Part, Result } from './entry.ts';
import { booleanOf, get, idOf, isObject, listOf, stringOf, typeOf, unpacked } from '../json-fields.ts';
import { notAMessage } from './openai-chat.ts';
import { messagesOf, runFacts } from './run-facts.ts';
import { timeOf } from './time.ts';
import { usageOf } from './tokens.ts';
import type { TraceFormat } from './trace-format.ts';

/** Messages of the AI SDK: those for models, whose content has parts, and those for pages, which have parts themselves. */
export const aiSdk: TraceFormat = {
  name: 'ai-sdk',
  sign: 'messages with tool-call and tool-result parts, or with a list of parts (AI SDK)',
  recognise: (document) => (messagesOf(document)?.messages ?? []).some(isSdkMessage),
  parse(document, name) {
    const { messages, where } = messagesOf(document) ?? { messages: [], where: '' };
    return buildRun(runFacts(document, name, 'ai-sdk'), entries(messages, where));
  },
};

function isSdkMessage(message: Json): boolean {
  if (!isObject(message)) return false;
  const inContent = listOf(get(message, 'content')) ?? [];
  return inContent.some(isToolPart) || partsOf(message).some((part) => typeOf(part) !== '');
}

function isToolPart(part: Json): boolean {
  return /^tool-(?:call|result|error)$/.test(typeOf(part));
}

function* entries(messages: readonly Json[], where: string): Generator<Entry> {
  for (const [index, message] of messages.entries()) yield* messageEntries(message, `${where}[${index}]`);
}

function* messageEntries(message: Json, where: string): Generator<Entry> {
  const role = get(message, 'role');
  const at = timeOf(get(message, 'createdAt')) ?? timeOf(get(message, 'metadata', 'createdAt'));
  const parts = partsOf(message);
  if (role === 'user') {
    yield { type: 'user', text: contentText(get(message, 'content') ?? parts), at };
  } else if (role === 'assistant') {
    const usage = usageOf(get(message, 'usage')) ?? usageOf(get(message, 'metadata', 'usage'));
    for (const [index, round] of roundsOf(message).entries()) {
      yield { type: 'reply', parts: round, at, usage: index === 0 ? usage : undefined };
    }
    yield* results(message, where);
  } else if (role === 'tool') yield* results(message, where);
  else if (role !== 'system') yield { type: 'problem', where, problem: notAMessage(message) };
}

/** A message for a page holds all replies up to the answer; each begins with a part that says so. */
function roundsOf(message: Json): readonly (readonly Part[])[] {
  const content = get(message, 'content');
  const given = partsOf(message);
  if (given.length === 0 && typeof content === 'string') return [[{ type: 'text', text: content }]];
  const rounds: Part[][] = [[]];
  for (const part of given.length > 0 ? given : (listOf(content) ?? [])) {
    if (typeOf(part) === 'step-start') rounds.push([]);
    else rounds.at(-1)?.push(...partOf(part));
  }
  const filled = rounds.filter((round) => round.length > 0);
  return filled.length === 0 ? [[]] : filled;
}

function partOf(part: Json): readonly Part[] {
  const type = typeOf(part);
  if (type === 'text') return [{ type: 'text', text: stringOf(get(part, 'text')) ?? '' }];
  if (type === 'reasoning') return [{ type: 'thought', text: stringOf(get(part, 'text')) ?? '' }];
  if (type === 'tool-call') return [callOf(part, stringOf(get(part, 'toolName')))];
  if (type === 'tool-invocation') {
    const invocation = get(part, 'toolInvocation') ?? null;
    return [callOf(invocation, stringOf(get(invocation, 'toolName')))];
  }
  if (type === 'dynamic-tool') return [callOf(part, stringOf(get(part, 'toolName')))];
  const isStatic =
    type.startsWith('tool-') && get(part, 'toolCallId') !== undefined && get(part, 'state') !== undefined;
  return isStatic ? [callOf(part, type.slice('tool-'.length))] : [];
}

function callOf(part: Json, tool = 'unknown'): Part {
  const args = unpacked(get(part, 'input') ?? get(part, 'rawInput') ?? get(part, 'args'));
  return { type: 'call', id: idOf(get(part, 'toolCallId')), tool, args, outcome: outcomeOf(part) };
}

/** Parts for pages say themselves how the call ended. */
function outcomeOf(part: Json): Outcome | undefined {
  const state = get(part, 'state');
  if (state === 'output-error') return { result: get(part, 'errorText'), error: true };
  if (state === 'output-denied') return { result: 'denied', error: true };
  if (state === 'output-available') return { result: get(part, 'output'), error: false };
  return state === 'result' ? { result: get(part, 'result'), error: false } : undefined;
}

function results(message: Json, where: string): readonly Result[] {
  return (listOf(get(message, 'content')) ?? []).flatMap((part, index): readonly Result[] => {
    const type = typeOf(part);
    if (type !== 'tool-result' && type !== 'tool-error') return [];
    const id = idOf(get(part, 'toolCallId'));
    const tool = stringOf(get(part, 'toolName'));
    const [result, error] = type === 'tool-error' ? [get(part, 'error'), true] : resultOf(part);
    return [{ type: 'result', id, tool, result, error, where: `${where}.content[${index}]` }];
  });
}

/** An output has a type, which says whether it is an error; before version 5 it was the bare result and a flag. */
function resultOf(part: Json): readonly [Json | undefined, boolean | undefined] {
  const output = get(part, 'output');
  const type = typeOf(output);
  if (type === '') return [output ?? get(part, 'result'), booleanOf(get(part, 'isError')) ?? false];
  const isError = type.startsWith('error') || type === 'execution-denied';
  const value = get(output, 'value') ?? get(output, 'reason');
  return [type === 'content' ? contentText(value) : value, isError];
}

function partsOf(message: Json): readonly Json[] {
  return listOf(get(message, 'parts')) ?? [];
}
