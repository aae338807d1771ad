import {
  type Json,
  describeJsonKind,
  getJsonPath,
  getTypeName,
  isJsonObject,
  parseNestedJson,
  toOptionalCount,
  toOptionalId,
  toOptionalList,
  toOptionalNumber,
  toOptionalString,
} from '../json/json.ts';
import { readAiSdkMessage } from './ai-sdk.ts';
import { readAnthropicMessage } from './anthropic.ts';
import { buildRecordedRun } from './build-run.ts';
import { parseTraceTime, type TraceUsage } from './trace-fields.ts';
import type { ParsedTrace, TraceEntry, TraceFormat, TraceOutcome, TracePart } from './trace-format.ts';
import { createUnknownEntry } from './unknown-records.ts';

/**
 * Sessions of Cursor: the transcript of an agent, and what its databases hold, joined by their readers: the messages of
 * a chat of the command line interface, or the bubbles of a conversation in the editor.
 */
export const cursorFormat: TraceFormat = {
  name: 'cursor',
  sign: 'lines with a role and a message with content, or the chats in a database of Cursor (Cursor)',
  matches: (document) =>
    isCursorChat(document) ||
    isCursorConversation(document) ||
    (toOptionalList(document) ?? []).some(isTranscriptLine),
  parse(document, name) {
    if (isCursorConversation(document)) return parseCursorConversation(document, name);
    if (isCursorChat(document)) return parseCursorChat(document, name);
    const lines = toOptionalList(document) ?? [];
    return buildRecordedRun({ id: name, source: 'cursor' }, readTranscriptLines(lines));
  },
};

function isTranscriptLine(line: Json): boolean {
  const role = getJsonPath(line, 'role');
  return (
    (role === 'user' || role === 'assistant') &&
    getTypeName(line) === '' &&
    toOptionalList(getJsonPath(line, 'message', 'content')) !== undefined &&
    getJsonPath(line, 'message', 'role') === undefined
  );
}

function* readTranscriptLines(lines: readonly Json[]): Generator<TraceEntry> {
  for (const [index, line] of lines.entries()) {
    const location = `[${index}]`;
    if (isTranscriptLine(line)) {
      const content = getJsonPath(line, 'message', 'content') ?? null;
      const message = { role: getJsonPath(line, 'role') ?? null, content };
      yield* mapUserTexts(readAnthropicMessage(message, `${location}.message`));
    } else if (!isJsonObject(line)) {
      yield { type: 'problem', location, problem: `expected an object, got ${describeJsonKind(line)}` };
    } else if (getTypeName(line) !== 'turn_ended') yield createUnknownEntry(line, location);
  }
}

/** The context that Cursor adds to a message of the user is not what the user wrote. */
function* mapUserTexts(entries: Iterable<TraceEntry>): Generator<TraceEntry> {
  for (const entry of entries) {
    const text = entry.type === 'user' ? extractUserQuery(entry.text) : null;
    if (text === null) yield entry;
    else if (text !== '') yield { ...entry, type: 'user', text };
  }
}

/** Returns an empty string for a message with context only. */
function extractUserQuery(text: string): string {
  const query = /<user_query>\s*([^]*?)\s*<\/user_query>/.exec(text)?.[1];
  return query ?? (/^\s*<(?:user_info|system_reminder|environment)/.test(text) ? '' : text);
}

/** A chat of the command line interface, in the messages of the AI SDK. */
function isCursorChat(document: Json): boolean {
  return (
    isJsonObject(getJsonPath(document, 'cursorChat')) &&
    toOptionalList(getJsonPath(document, 'messages')) !== undefined
  );
}

function parseCursorChat(document: Json, name: string): ParsedTrace {
  const chat = getJsonPath(document, 'cursorChat');
  const model = toOptionalString(getJsonPath(chat, 'lastUsedModel'));
  const id = toOptionalId(getJsonPath(chat, 'agentId')) ?? name;
  const facts = { id, source: 'cursor', ...(model === undefined ? {} : { model }) };
  return buildRecordedRun(facts, readChatMessages(toOptionalList(getJsonPath(document, 'messages')) ?? []));
}

function* readChatMessages(messages: readonly Json[]): Generator<TraceEntry> {
  for (const [index, message] of messages.entries())
    yield* mapUserTexts(readAiSdkMessage(message, `messages[${index}]`));
}

/** A conversation in the editor: its bubbles in their order. */
function isCursorConversation(document: Json): boolean {
  return (
    isJsonObject(getJsonPath(document, 'composerData')) &&
    toOptionalList(getJsonPath(document, 'bubbles')) !== undefined
  );
}

function parseCursorConversation(document: Json, name: string): ParsedTrace {
  const composer = getJsonPath(document, 'composerData');
  const model = toOptionalString(getJsonPath(composer, 'modelConfig', 'modelName'));
  const id = toOptionalId(getJsonPath(composer, 'composerId')) ?? name;
  const facts = { id, source: 'cursor', ...(model === undefined ? {} : { model }) };
  return buildRecordedRun(facts, readBubbles(toOptionalList(getJsonPath(document, 'bubbles')) ?? []));
}

function* readBubbles(bubbles: readonly Json[]): Generator<TraceEntry> {
  for (const [index, bubble] of bubbles.entries()) {
    const location = `bubbles[${index}]`;
    const at = parseTraceTime(getJsonPath(bubble, 'createdAt'));
    const type = getJsonPath(bubble, 'type');
    const text = toOptionalString(getJsonPath(bubble, 'text')) ?? '';
    if (type === 1) yield { type: 'user', text, at };
    else if (type === 2) {
      const usage = parseBubbleUsage(getJsonPath(bubble, 'tokenCount'));
      yield { type: 'reply', parts: readBubbleParts(bubble, text), at, usage, key: location };
    } else if (isJsonObject(bubble))
      yield createUnknownEntry(bubble, location, `bubble of type ${JSON.stringify(type)}`);
    else yield { type: 'problem', location, problem: 'the message is not in the database' };
  }
}

function readBubbleParts(bubble: Json, text: string): readonly TracePart[] {
  const thought = toOptionalString(getJsonPath(bubble, 'thinking', 'text')) ?? '';
  const call = getJsonPath(bubble, 'toolFormerData');
  return [
    ...(thought === '' ? [] : [{ type: 'thought', text: thought } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...(isToolBubble(call) ? [parseBubbleCall(call)] : []),
  ];
}

/** Bubbles without a call have an empty object, or only additional data. */
function isToolBubble(call: Json | undefined): call is Json {
  return ['name', 'tool', 'toolCallId', 'rawArgs', 'params'].some(
    (name) => getJsonPath(call, name) !== undefined,
  );
}

function parseBubbleCall(call: Json): TracePart {
  const tool = toOptionalString(getJsonPath(call, 'name')) ?? toOptionalString(getJsonPath(call, 'tool'));
  const id = toOptionalId(getJsonPath(call, 'toolCallId'));
  const args = parseNestedJson(getJsonPath(call, 'rawArgs') ?? getJsonPath(call, 'params'));
  const outcome = readBubbleOutcome(call);
  return { type: 'call', id, tool: tool ?? 'unknown', args, ...(outcome === undefined ? {} : { outcome }) };
}

function readBubbleOutcome(call: Json): TraceOutcome | undefined {
  const status = toOptionalString(getJsonPath(call, 'status')) ?? '';
  const result = getJsonPath(call, 'result');
  if (/^(?:error|failed)$/.test(status)) return { result: result ?? getJsonPath(call, 'error'), error: true };
  if (!/^(?:completed|success)$/.test(status)) return undefined;
  const exitCode = toOptionalNumber(getJsonPath(parseNestedJson(result), 'exitCode'));
  // A command that ends with an error is completed.
  return { result, error: exitCode === undefined ? false : undefined, exitCode };
}

/** Most bubbles have zeros. */
function parseBubbleUsage(count: Json | undefined): TraceUsage | undefined {
  const input = toOptionalCount(getJsonPath(count, 'inputTokens')) ?? 0;
  const output = toOptionalCount(getJsonPath(count, 'outputTokens')) ?? 0;
  return input + output === 0 ? undefined : { input, output };
}
