import {
  type Json,
  describeJsonKind,
  getJsonPath,
  getTypeName,
  isJsonObject,
  toOptionalCount,
  toOptionalId,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { getContentText, parseTraceTime, type TraceUsage } from './trace-fields.ts';
import {
  type TraceEntry,
  type TraceFormat,
  type TraceOutcome,
  type TracePart,
  type TraceResult,
  mergeTraces,
} from './trace-format.ts';
import { createMessageProblem } from './unknown-records.ts';

/**
 * Gemini CLI sessions: one JSON document, or lines that add to it. The first versions of Qwen Code wrote the same
 * document. A saved chat is a list of the contents that the Gemini API takes.
 */
export const geminiCliFormat: TraceFormat = {
  name: 'gemini-cli',
  sign: 'messages of the types user and gemini beside a session id and a project hash (Gemini CLI)',
  matches: (document) =>
    isGeminiSession(document) ||
    (toOptionalList(document) ?? []).some(isGeminiSessionHeader) ||
    getGeminiContents(document).contents.some(isModelContent),
  parse(document, name) {
    if (isGeminiSession(document)) return parseGeminiRecords([{ record: document, location: '' }], name);
    const lines = toOptionalList(document) ?? [];
    if (lines.some(isGeminiSessionHeader))
      return mergeTraces(splitGeminiSessions(lines).map((records) => parseGeminiRecords(records, name)));
    const { contents, location } = getGeminiContents(document);
    return buildRecordedRun({ id: name, source: 'gemini-cli' }, readGeminiContents(contents, location));
  },
};

const geminiReplyTypes: ReadonlySet<string> = new Set(['gemini', 'qwen']);

function isGeminiSession(document: Json): boolean {
  const messages = toOptionalList(getJsonPath(document, 'messages'));
  if (messages === undefined || toOptionalId(getJsonPath(document, 'sessionId')) === undefined) return false;
  return messages.some(isGeminiMessage);
}

function isGeminiMessage(message: Json): boolean {
  const type = toOptionalString(getJsonPath(message, 'type')) ?? '';
  return (
    (type === 'user' || geminiReplyTypes.has(type)) &&
    toOptionalId(getJsonPath(message, 'id')) !== undefined &&
    getJsonPath(message, 'content') !== undefined &&
    getJsonPath(message, 'role') === undefined
  );
}

/** Whether this is the first line of a session. */
function isGeminiSessionHeader(line: Json): boolean {
  return (
    typeof getJsonPath(line, 'sessionId') === 'string' &&
    typeof getJsonPath(line, 'projectHash') === 'string' &&
    getJsonPath(line, 'messages') === undefined
  );
}

type GeminiRecord = { readonly record: Json; readonly location: string };

/** Several sessions may have been joined into one file. */
function splitGeminiSessions(lines: readonly Json[]): readonly (readonly GeminiRecord[])[] {
  const sessions: GeminiRecord[][] = [];
  for (const [index, record] of lines.entries()) {
    const last = sessions.at(-1);
    const located = { record, location: `[${index}]` };
    if (last === undefined || (isGeminiSessionHeader(record) && last.some(isLocatedHeader)))
      sessions.push([located]);
    else last.push(located);
  }
  return sessions;
}

function isLocatedHeader({ record }: GeminiRecord): boolean {
  return isGeminiSessionHeader(record);
}

function parseGeminiRecords(
  records: readonly GeminiRecord[],
  name: string,
): ReturnType<TraceFormat['parse']> {
  const messages = [...collectGeminiMessages(records).values()];
  const id = records.map(({ record }) => toOptionalId(getJsonPath(record, 'sessionId'))).find(isDefined);
  const model = messages.map(({ record }) => toOptionalString(getJsonPath(record, 'model'))).find(isDefined);
  const isQwen = messages.some(({ record }) => getJsonPath(record, 'type') === 'qwen');
  const facts = {
    id: id ?? name,
    source: isQwen ? 'qwen-code' : 'gemini-cli',
    ...(model === undefined ? {} : { model }),
  };
  return buildRecordedRun(facts, readGeminiMessages(messages));
}

function isDefined(value: string | undefined): value is string {
  return value !== undefined;
}

/**
 * Collects the messages by their ids. A line repeats a message with what has been added to it, such as the results of
 * its calls. A rewritten history is shorter than what happened, so only its unknown messages are used.
 */
function collectGeminiMessages(records: readonly GeminiRecord[]): ReadonlyMap<string, GeminiRecord> {
  const messages = new Map<string, GeminiRecord>();
  for (const { record, location } of records) {
    const before = location === '' ? '' : `${location}.`;
    const id = toOptionalId(getJsonPath(record, 'id'));
    if (id !== undefined) messages.set(id, { record, location });
    else if (!isJsonObject(record) || getTypeName(record) !== '')
      messages.set(location, { record, location });
    for (const path of [['messages'], ['$set', 'messages']]) {
      for (const [index, message] of (toOptionalList(getJsonPath(record, ...path)) ?? []).entries()) {
        const inner = `${before}${path.join('.')}[${index}]`;
        const key = toOptionalId(getJsonPath(message, 'id')) ?? inner;
        if (!messages.has(key)) messages.set(key, { record: message, location: inner });
      }
    }
  }
  return messages;
}

function* readGeminiMessages(messages: readonly GeminiRecord[]): Generator<TraceEntry> {
  for (const { record, location } of messages) {
    const type = toOptionalString(getJsonPath(record, 'type')) ?? '';
    const at = parseTraceTime(getJsonPath(record, 'timestamp'));
    if (!isJsonObject(record))
      yield { type: 'problem', location, problem: `expected a message, got ${describeJsonKind(record)}` };
    else if (type === 'user') yield* readGeminiUserContent(getJsonPath(record, 'content'), location, at);
    else if (geminiReplyTypes.has(type)) {
      const usage = parseGeminiUsage(getJsonPath(record, 'tokens'));
      yield { type: 'reply', parts: readGeminiReplyParts(record), at, usage };
    } else if (!programMessageTypes.has(type))
      yield createMessageProblem(record, location, 'a message of an unknown type');
  }
}

/** Messages of the program to its user. */
const programMessageTypes: ReadonlySet<string> = new Set(['info', 'warning', 'error']);

function readGeminiReplyParts(message: Json): readonly TracePart[] {
  const thoughts = (toOptionalList(getJsonPath(message, 'thoughts')) ?? []).map((thought): TracePart => {
    const [subject, description] = ['subject', 'description'].map(
      (name) => toOptionalString(getJsonPath(thought, name)) ?? '',
    );
    return { type: 'thought', text: `${subject} ${description}` };
  });
  const content = getJsonPath(message, 'content');
  const calls = toOptionalList(getJsonPath(message, 'toolCalls'));
  if (calls === undefined) return [...thoughts, ...readGeminiContentParts(content)];
  const text = getContentText(content);
  return [
    ...thoughts,
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map(parseGeminiToolCall),
  ];
}

function parseGeminiToolCall(call: Json): TracePart {
  const result = readGeminiToolResult(call);
  const error = parseGeminiStatus(getJsonPath(call, 'status'));
  return {
    type: 'call',
    id: toOptionalId(getJsonPath(call, 'id')),
    tool: toOptionalString(getJsonPath(call, 'name')) ?? 'unknown',
    args: getJsonPath(call, 'args'),
    ...(result === undefined && error === undefined ? {} : { outcome: { result, error } }),
  };
}

/** The model saw `result`; what the user saw stands in for it where it is missing. */
function readGeminiToolResult(call: Json): Json | undefined {
  const result = getJsonPath(call, 'result');
  const id = getJsonPath(call, 'id');
  const parts = toOptionalList(result) ?? [];
  const responses = parts.filter((part) => getJsonPath(part, 'functionResponse') !== undefined);
  const own = responses.find((part) => getJsonPath(part, 'functionResponse', 'id') === id) ?? responses[0];
  if (own !== undefined) return getFunctionResponseOutput(getJsonPath(own, 'functionResponse'));
  if (parts.length > 0) return getContentText(parts);
  return toOptionalString(result) ?? toOptionalString(getJsonPath(call, 'resultDisplay'));
}

/** Whether the status of a finished call marks it as failed; undefined while the call is not finished. */
export function parseGeminiStatus(status: Json | undefined): boolean | undefined {
  if (status === 'success') return false;
  return status === 'error' || status === 'cancelled' ? true : undefined;
}

/** Returns the output or the error in a function response as the model saw it. */
function getFunctionResponseOutput(functionResponse: Json | undefined): Json | undefined {
  const response = getJsonPath(functionResponse, 'response');
  return (
    getJsonPath(response, 'output') ??
    toOptionalString(getJsonPath(response, 'error')) ??
    toOptionalString(getJsonPath(response, 'content')) ??
    response
  );
}

/** Reads the text and the function calls of the content that a model wrote. */
export function readGeminiContentParts(content: Json | undefined): readonly TracePart[] {
  const parts = toOptionalList(content);
  if (parts === undefined) {
    const text = getContentText(content);
    return text === '' ? [] : [{ type: 'text', text }];
  }
  return parts.flatMap((part): readonly TracePart[] => {
    const call = getJsonPath(part, 'functionCall');
    const tool = toOptionalString(getJsonPath(call, 'name'));
    if (tool !== undefined)
      return [
        { type: 'call', id: toOptionalId(getJsonPath(call, 'id')), tool, args: getJsonPath(call, 'args') },
      ];
    const text = toOptionalString(part) ?? toOptionalString(getJsonPath(part, 'text')) ?? '';
    const isThought = getJsonPath(part, 'thought') === true;
    return text === '' ? [] : [{ type: isThought ? 'thought' : 'text', text }];
  });
}

/** Reads what a user said, and the results of calls, which have the role of the user in this API. */
export function* readGeminiUserContent(
  content: Json | undefined,
  location: string,
  at?: number,
  outcome: Pick<TraceOutcome, 'error'> = { error: undefined },
): Generator<TraceEntry> {
  const parts = toOptionalList(content) ?? [];
  for (const [index, part] of parts.entries()) {
    const response = getJsonPath(part, 'functionResponse');
    if (response !== undefined)
      yield createFunctionResult(response, `${location}.content[${index}]`, outcome);
  }
  const texts = parts.filter((part) => getJsonPath(part, 'functionResponse') === undefined);
  const text = getContentText(toOptionalList(content) === undefined ? content : texts);
  // The program describes the workspace before the first message.
  if (text !== '' && !text.startsWith('<session_context>')) yield { type: 'user', text, at };
}

function createFunctionResult(
  response: Json,
  location: string,
  { error }: Pick<TraceOutcome, 'error'>,
): TraceResult {
  const hasError = toOptionalString(getJsonPath(response, 'response', 'error')) !== undefined;
  return {
    type: 'result',
    id: toOptionalId(getJsonPath(response, 'id')),
    tool: toOptionalString(getJsonPath(response, 'name')),
    result: getFunctionResponseOutput(response),
    error: error ?? (hasError ? true : undefined),
    location,
    // A session also holds the results beside the calls.
    repeated: true,
  };
}

/**
 * Parses the token counts of a reply. Google counts thoughts apart from the output, others within it; the total shows
 * which. Counts that are all zero were not reported.
 */
export function parseGeminiUsage(tokens: Json | undefined): TraceUsage | undefined {
  const count = (...names: readonly string[]): number | undefined =>
    names.map((name) => toOptionalCount(getJsonPath(tokens, name))).find((value) => value !== undefined);
  const input = count('input', 'promptTokenCount');
  const output = count('output', 'candidatesTokenCount');
  const thoughts = count('thoughts', 'thoughtsTokenCount') ?? 0;
  const tool = count('tool', 'toolUsePromptTokenCount') ?? 0;
  const total = count('total', 'totalTokenCount');
  if ((input ?? 0) + (output ?? 0) + (total ?? 0) === 0) return undefined;
  const isThoughtIncluded = total !== undefined && total === (input ?? 0) + (output ?? 0) + tool;
  return {
    input,
    output: output === undefined || isThoughtIncluded ? output : output + thoughts,
    cached: count('cached', 'cachedContentTokenCount'),
  };
}

/** Finds the contents of a saved chat, or of a request to the Gemini API. */
function getGeminiContents(document: Json): {
  readonly contents: readonly Json[];
  readonly location: string;
} {
  for (const name of ['history', 'contents']) {
    const contents = toOptionalList(getJsonPath(document, name));
    if (contents !== undefined) return { contents, location: name };
  }
  return { contents: toOptionalList(document) ?? [], location: '' };
}

function isModelContent(content: Json): boolean {
  return (
    getJsonPath(content, 'role') === 'model' && toOptionalList(getJsonPath(content, 'parts')) !== undefined
  );
}

function* readGeminiContents(contents: readonly Json[], location: string): Generator<TraceEntry> {
  for (const [index, content] of contents.entries()) {
    const at = `${location}[${index}]`;
    const role = getJsonPath(content, 'role');
    const parts = getJsonPath(content, 'parts');
    if (role === 'model') yield { type: 'reply', parts: readGeminiContentParts(parts) };
    else if (role === 'user' || role === 'function') yield* readGeminiUserContent(parts, at);
    else
      yield {
        type: 'problem',
        location: at,
        problem: `expected a content, got ${describeJsonKind(content)}`,
      };
  }
}
