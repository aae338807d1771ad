import {
  type Json,
  describeJsonKind,
  getJsonPath,
  getTypeName,
  isJsonObject,
  parseNestedJson,
  toOptionalBoolean,
  toOptionalId,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { readChatCallParts, readChatTextParts } from './openai-chat.ts';
import { getContentText, findMessages, parseTraceTime, parseTraceUsage } from './trace-fields.ts';
import type { TraceEntry, TraceFormat, TracePart, TraceResult } from './trace-format.ts';
import { createUnknownEntry } from './unknown-records.ts';

/**
 * Messages of AutoGen: those of AgentChat and of its model contexts, which have types, and the chat histories of version
 * 0.2 and of AG2, which have roles.
 */
export const autogenFormat: TraceFormat = {
  name: 'autogen',
  sign: 'messages with a source and a type such as ToolCallRequestEvent, or a chat_history (AutoGen)',
  matches: (document) =>
    (findMessages(document)?.messages ?? []).some(isAutogenMessage) ||
    getChatHistory(document).some(isHistoryItem),
  parse(document, name) {
    const exit = toOptionalString(getJsonPath(document, 'stop_reason'));
    const facts = {
      id: toOptionalId(getJsonPath(document, 'id')) ?? toOptionalId(getJsonPath(document, 'chat_id')) ?? name,
      source: 'autogen',
      ...(exit === undefined ? {} : { exit }),
    };
    const history = getChatHistory(document);
    if (history.length > 0) return buildRecordedRun(facts, readChatHistory(history));
    const { messages, location } = findMessages(document) ?? { messages: [], location: '' };
    return buildRecordedRun(facts, readAutogenMessages(messages, location));
  },
};

const autogenTypes: ReadonlySet<string> = new Set([
  'TextMessage',
  'MultiModalMessage',
  'StopMessage',
  'HandoffMessage',
  'ToolCallRequestEvent',
  'ToolCallExecutionEvent',
  'ToolCallSummaryMessage',
  'ThoughtEvent',
  'UserMessage',
  'AssistantMessage',
  'FunctionExecutionResultMessage',
]);

function isAutogenMessage(message: Json): boolean {
  const hasOrigin = typeof getJsonPath(message, 'source') === 'string' || isResultMessage(message);
  return hasOrigin && autogenTypes.has(getTypeName(message)) && getJsonPath(message, 'content') !== undefined;
}

function isResultMessage(message: Json): boolean {
  return getTypeName(message) === 'FunctionExecutionResultMessage';
}

function* readAutogenMessages(messages: readonly Json[], before: string): Generator<TraceEntry> {
  for (const [index, message] of messages.entries()) {
    const location = `${before}[${index}]`;
    if (isJsonObject(message)) yield* readAutogenMessage(message, location);
    else yield { type: 'problem', location, problem: `expected a message, got ${describeJsonKind(message)}` };
  }
}

/** Summaries repeat the results; the other types are about the program itself. */
const ignoredTypes: ReadonlySet<string> = new Set([
  'CodeGenerationEvent',
  'HandoffMessage',
  'MemoryQueryEvent',
  'ModelClientStreamingChunkEvent',
  'SelectSpeakerEvent',
  'SelectorEvent',
  'StopMessage',
  'SystemMessage',
  'ToolCallSummaryMessage',
  'UserInputRequestedEvent',
]);

function* readAutogenMessage(message: Json, location: string): Generator<TraceEntry> {
  const content = getJsonPath(message, 'content');
  const at = parseTraceTime(getJsonPath(message, 'created_at'));
  const usage = parseTraceUsage(getJsonPath(message, 'models_usage'));
  const text = getContentText(content);
  switch (getTypeName(message)) {
    case 'UserMessage':
    case 'TextMessage':
    case 'MultiModalMessage':
      if (isFromUser(message)) yield { type: 'user', text, at };
      else yield { type: 'reply', parts: [{ type: 'text', text }], at, usage };
      return;
    case 'ThoughtEvent':
      yield { type: 'reply', parts: [{ type: 'thought', text }], at, usage };
      return;
    case 'AssistantMessage':
    case 'ToolCallRequestEvent':
      yield { type: 'reply', parts: readAutogenParts(message), at, usage };
      return;
    case 'ToolCallExecutionEvent':
    case 'FunctionExecutionResultMessage':
      yield* readAutogenResults(content, location);
      return;
    case 'CodeExecutionEvent':
      yield createCodeReply(getJsonPath(message, 'result'), at);
      return;
    default:
      if (!ignoredTypes.has(getTypeName(message))) yield createUnknownEntry(message, location);
  }
}

function isFromUser(message: Json): boolean {
  return getTypeName(message) === 'UserMessage' || getJsonPath(message, 'source') === 'user';
}

function readAutogenParts(message: Json): readonly TracePart[] {
  const content = getJsonPath(message, 'content');
  const thought = toOptionalString(getJsonPath(message, 'thought')) ?? '';
  const calls = toOptionalList(content);
  return [
    ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
    ...(calls === undefined ? [{ type: 'text', text: getContentText(content) } as const] : []),
    ...(calls ?? []).map((call): TracePart => ({
      type: 'call',
      id: toOptionalId(getJsonPath(call, 'id')),
      tool: toOptionalString(getJsonPath(call, 'name')) ?? 'unknown',
      args: parseNestedJson(getJsonPath(call, 'arguments')),
    })),
  ];
}

function readAutogenResults(content: Json | undefined, location: string): readonly TraceResult[] {
  return (toOptionalList(content) ?? []).map((result, index) =>
    createAutogenResult(result, `${location}.content[${index}]`),
  );
}

/** Some model clients give every call an empty id. */
function createAutogenResult(result: Json, location: string): TraceResult {
  return {
    type: 'result',
    id: toOptionalId(getJsonPath(result, 'call_id')),
    tool: toOptionalString(getJsonPath(result, 'name')),
    result: getJsonPath(result, 'content'),
    error: toOptionalBoolean(getJsonPath(result, 'is_error')),
    location,
  };
}

/** An agent that executes code has no call, only what came of it. */
function createCodeReply(result: Json | undefined, at: number | undefined): TraceEntry {
  const outcome = {
    result: getJsonPath(result, 'output'),
    error: undefined,
    exitCode: toOptionalNumber(getJsonPath(result, 'exit_code')),
  };
  return { type: 'reply', at, parts: [{ type: 'call', tool: 'execute_code', args: null, outcome }] };
}

function getChatHistory(document: Json): readonly Json[] {
  return toOptionalList(getJsonPath(document, 'chat_history')) ?? [];
}

function isHistoryItem(message: Json): boolean {
  return typeof getJsonPath(message, 'role') === 'string' && getJsonPath(message, 'content') !== undefined;
}

/**
 * A history is written by the agent that began the chat, so its roles may be swapped: the user is the one with the
 * name that the first message has.
 */
function* readChatHistory(history: readonly Json[]): Generator<TraceEntry> {
  const user = toOptionalString(getJsonPath(history[0], 'name'));
  for (const [index, message] of history.entries()) {
    const location = `chat_history[${index}]`;
    const role = getJsonPath(message, 'role');
    const name = toOptionalString(getJsonPath(message, 'name'));
    const isUser = name === undefined || user === undefined ? role === 'user' : name === user;
    const calls = readChatCallParts(message);
    if (!isJsonObject(message))
      yield { type: 'problem', location, problem: `expected a message, got ${describeJsonKind(message)}` };
    else if (role === 'tool' || role === 'function') yield* readToolResponses(message, location);
    else if (calls.length > 0 || !isUser)
      yield { type: 'reply', parts: [...readChatTextParts(message), ...calls] };
    else if (role !== 'system') yield { type: 'user', text: getContentText(getJsonPath(message, 'content')) };
  }
}

function* readToolResponses(message: Json, location: string): Generator<TraceResult> {
  const responses = toOptionalList(getJsonPath(message, 'tool_responses')) ?? [message];
  for (const response of responses) {
    yield {
      type: 'result',
      id: toOptionalId(getJsonPath(response, 'tool_call_id')),
      tool: toOptionalString(getJsonPath(response, 'name')),
      result: getJsonPath(response, 'content'),
      error: undefined,
      location,
    };
  }
}
