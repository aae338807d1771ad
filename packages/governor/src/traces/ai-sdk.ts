import {
  type Json,
  toOptionalBoolean,
  getJsonPath,
  toOptionalId,
  isJsonObject,
  toOptionalList,
  toOptionalString,
  getTypeName,
  parseNestedJson,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import {
  getContentText,
  findMessages,
  readRunFacts,
  parseTraceTime,
  parseTraceUsage,
} from './trace-fields.ts';
import type { TraceEntry, TraceOutcome, TracePart, TraceResult, TraceFormat } from './trace-format.ts';
import { describeInvalidMessage } from './openai-chat.ts';
import { createMessageProblem } from './unknown-records.ts';

/** AI SDK messages: model messages, whose content has parts, and UI messages, which have parts themselves. */
export const aiSdkFormat: TraceFormat = {
  name: 'ai-sdk',
  sign: 'messages with tool-call and tool-result parts, or with a list of parts (AI SDK)',
  matches: (document) => (findMessages(document)?.messages ?? []).some(isAiSdkMessage),
  parse(document, name) {
    const { messages, location } = findMessages(document) ?? { messages: [], location: '' };
    return buildRecordedRun(readRunFacts(document, name, 'ai-sdk'), readAiSdkEntries(messages, location));
  },
};

function isAiSdkMessage(message: Json): boolean {
  if (!isJsonObject(message)) return false;
  const inContent = toOptionalList(getJsonPath(message, 'content')) ?? [];
  return inContent.some(isAiSdkToolPart) || getAiSdkParts(message).some((part) => getTypeName(part) !== '');
}

function isAiSdkToolPart(part: Json): boolean {
  return /^tool-(?:call|result|error)$/.test(getTypeName(part));
}

function* readAiSdkEntries(messages: readonly Json[], location: string): Generator<TraceEntry> {
  for (const [index, message] of messages.entries())
    yield* readAiSdkMessage(message, `${location}[${index}]`);
}

export function* readAiSdkMessage(message: Json, location: string): Generator<TraceEntry> {
  const role = getJsonPath(message, 'role');
  const at =
    parseTraceTime(getJsonPath(message, 'createdAt')) ??
    parseTraceTime(getJsonPath(message, 'metadata', 'createdAt'));
  const parts = getAiSdkParts(message);
  if (role === 'user') {
    yield { type: 'user', text: getContentText(getJsonPath(message, 'content') ?? parts), at };
  } else if (role === 'assistant') {
    const usage =
      parseTraceUsage(getJsonPath(message, 'usage')) ??
      parseTraceUsage(getJsonPath(message, 'metadata', 'usage'));
    for (const [index, round] of splitAiSdkRounds(message).entries()) {
      yield { type: 'reply', parts: round, at, usage: index === 0 ? usage : undefined };
    }
    yield* readAiSdkResults(message, location);
  } else if (role === 'tool') yield* readAiSdkResults(message, location);
  else if (role !== 'system') yield createMessageProblem(message, location, describeInvalidMessage(message));
}

/** A UI message holds all replies up to the answer; each starts with a `step-start` part. */
function splitAiSdkRounds(message: Json): readonly (readonly TracePart[])[] {
  const content = getJsonPath(message, 'content');
  const messageParts = getAiSdkParts(message);
  if (messageParts.length === 0 && typeof content === 'string') return [[{ type: 'text', text: content }]];
  const rounds: TracePart[][] = [[]];
  for (const part of messageParts.length > 0 ? messageParts : (toOptionalList(content) ?? [])) {
    if (getTypeName(part) === 'step-start') rounds.push([]);
    else rounds.at(-1)?.push(...parseAiSdkPart(part));
  }
  const filled = rounds.filter((round) => round.length > 0);
  return filled.length === 0 ? [[]] : filled;
}

function parseAiSdkPart(part: Json): readonly TracePart[] {
  const type = getTypeName(part);
  if (type === 'text') return [{ type: 'text', text: toOptionalString(getJsonPath(part, 'text')) ?? '' }];
  if (type === 'reasoning')
    return [{ type: 'thought', text: toOptionalString(getJsonPath(part, 'text')) ?? '' }];
  if (type === 'tool-call') return [parseAiSdkCall(part, toOptionalString(getJsonPath(part, 'toolName')))];
  if (type === 'tool-invocation') {
    const invocation = getJsonPath(part, 'toolInvocation') ?? null;
    return [parseAiSdkCall(invocation, toOptionalString(getJsonPath(invocation, 'toolName')))];
  }
  if (type === 'dynamic-tool') return [parseAiSdkCall(part, toOptionalString(getJsonPath(part, 'toolName')))];
  const isStatic =
    type.startsWith('tool-') &&
    getJsonPath(part, 'toolCallId') !== undefined &&
    getJsonPath(part, 'state') !== undefined;
  return isStatic ? [parseAiSdkCall(part, type.slice('tool-'.length))] : [];
}

function parseAiSdkCall(part: Json, tool = 'unknown'): TracePart {
  const args = parseNestedJson(
    getJsonPath(part, 'input') ?? getJsonPath(part, 'rawInput') ?? getJsonPath(part, 'args'),
  );
  return {
    type: 'call',
    id: toOptionalId(getJsonPath(part, 'toolCallId')),
    tool,
    args,
    outcome: getAiSdkOutcome(part),
  };
}

/** UI parts contain the outcome of their call. */
function getAiSdkOutcome(part: Json): TraceOutcome | undefined {
  const state = getJsonPath(part, 'state');
  if (state === 'output-error') return { result: getJsonPath(part, 'errorText'), error: true };
  if (state === 'output-denied') return { result: 'denied', error: true };
  if (state === 'output-available') return { result: getJsonPath(part, 'output'), error: false };
  return state === 'result' ? { result: getJsonPath(part, 'result'), error: false } : undefined;
}

function readAiSdkResults(message: Json, location: string): readonly TraceResult[] {
  return (toOptionalList(getJsonPath(message, 'content')) ?? []).flatMap(
    (part, index): readonly TraceResult[] => {
      const type = getTypeName(part);
      if (type !== 'tool-result' && type !== 'tool-error') return [];
      const id = toOptionalId(getJsonPath(part, 'toolCallId'));
      const tool = toOptionalString(getJsonPath(part, 'toolName'));
      const [result, error] =
        type === 'tool-error' ? [getJsonPath(part, 'error'), true] : parseAiSdkResult(part);
      return [{ type: 'result', id, tool, result, error, location: `${location}.content[${index}]` }];
    },
  );
}

/** An output has a type that says whether it is an error; before version 5 it was the bare result and a flag. */
function parseAiSdkResult(part: Json): readonly [Json | undefined, boolean | undefined] {
  const output = getJsonPath(part, 'output');
  const type = getTypeName(output);
  if (type === '')
    return [output ?? getJsonPath(part, 'result'), toOptionalBoolean(getJsonPath(part, 'isError')) ?? false];
  const isError = type.startsWith('error') || type === 'execution-denied';
  const value = getJsonPath(output, 'value') ?? getJsonPath(output, 'reason');
  return [type === 'content' ? getContentText(value) : value, isError];
}

function getAiSdkParts(message: Json): readonly Json[] {
  return toOptionalList(getJsonPath(message, 'parts')) ?? [];
}
