import {
  type Json,
  toOptionalBoolean,
  getJsonPath,
  toOptionalId,
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
import type { TraceEntry, TracePart, TraceResult, TraceFormat } from './trace-format.ts';
import { describeInvalidMessage } from './openai-chat.ts';
import { containsCall, createMessageProblem, createUnknownEntry } from './unknown-records.ts';

/** Messages of the Anthropic API: calls and results are content blocks. */
export const anthropicFormat: TraceFormat = {
  name: 'anthropic',
  sign: 'messages with tool_use, tool_result or thinking blocks (Anthropic)',
  matches: (document) => (findMessages(document)?.messages ?? []).some(hasAnthropicBlocks),
  parse(document, name) {
    const { messages, location } = findMessages(document) ?? { messages: [], location: '' };
    return buildRecordedRun(
      readRunFacts(document, name, 'anthropic'),
      readAnthropicMessages(messages, location),
    );
  },
};

function* readAnthropicMessages(messages: readonly Json[], location: string): Generator<TraceEntry> {
  for (const [index, message] of messages.entries())
    yield* readAnthropicMessage(message, `${location}[${index}]`);
}

/** Metadata from around a message. */
export type AnthropicMessageContext = { readonly at?: number | undefined; readonly key?: string | undefined };

export function* readAnthropicMessage(
  message: Json,
  location: string,
  around: AnthropicMessageContext = {},
): Generator<TraceEntry> {
  const role = getJsonPath(message, 'role');
  const content = getJsonPath(message, 'content');
  if (role === 'assistant') {
    const usage = parseTraceUsage(getJsonPath(message, 'usage'));
    yield { type: 'reply', parts: readAnthropicParts(content), usage, ...around };
    yield* readAnthropicResults(content, `${location}.content`);
    yield* reportUnknownBlocks(content, `${location}.content`);
  } else if (role === 'user') {
    yield* readAnthropicResults(content, `${location}.content`);
    const text = getAnthropicUserText(content);
    if (text !== null) yield { type: 'user', text, at: around.at };
  } else if (role !== 'system')
    yield createMessageProblem(message, location, describeInvalidMessage(message));
}

function hasAnthropicBlocks(message: Json): boolean {
  return (toOptionalList(getJsonPath(message, 'content')) ?? []).some(isAnthropicBlock);
}

function isAnthropicBlock(block: Json): boolean {
  const type = getTypeName(block);
  return isToolUseType(type) || isToolResultType(type) || isThinkingType(type);
}

const isToolUseType = (type: string): boolean =>
  type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use';
const isToolResultType = (type: string): boolean => /(?:^|_)tool_result$/.test(type);
const isThinkingType = (type: string): boolean => type === 'thinking' || type === 'redacted_thinking';

export function readAnthropicParts(content: Json | undefined): readonly TracePart[] {
  const blocks = toOptionalList(content);
  if (blocks === undefined) return typeof content === 'string' ? [{ type: 'text', text: content }] : [];
  return blocks.flatMap(readAnthropicPart);
}

function readAnthropicPart(block: Json): readonly TracePart[] {
  const type = getTypeName(block);
  if (isThinkingType(type))
    return [{ type: 'thought', text: toOptionalString(getJsonPath(block, 'thinking')) ?? '' }];
  if (isToolResultType(type)) return [];
  if (!isToolUseType(type)) return [{ type: 'text', text: getContentText(block) }];
  const [tool, id] = [
    toOptionalString(getJsonPath(block, 'name')) ?? type,
    toOptionalId(getJsonPath(block, 'id')),
  ];
  return [{ type: 'call', id, tool, args: getJsonPath(block, 'input') }];
}

function readAnthropicResults(content: Json | undefined, location: string): readonly TraceResult[] {
  return (toOptionalList(content) ?? []).flatMap((block, index) => {
    if (!isToolResultType(getTypeName(block))) return [];
    const [id, inner] = [toOptionalId(getJsonPath(block, 'tool_use_id')), getJsonPath(block, 'content')];
    // For tools the provider runs itself, the content type says whether they failed.
    const isFailure = getTypeName(inner).endsWith('_error');
    const error = toOptionalBoolean(getJsonPath(block, 'is_error')) ?? (isFailure ? true : undefined);
    return [
      { type: 'result', id, result: getResultContent(inner), error, location: `${location}[${index}]` },
    ];
  });
}

/** A block of an unknown type is read as text; if it seems to be a call, this is not what it means. */
function* reportUnknownBlocks(content: Json | undefined, location: string): Generator<TraceEntry> {
  for (const [index, block] of (toOptionalList(content) ?? []).entries()) {
    if (isAnthropicBlock(block) || getTypeName(block) === 'text' || !containsCall(block)) continue;
    yield createUnknownEntry(block, `${location}[${index}]`);
  }
}

/** Returns the user's text, or null if the message only carries results. */
function getAnthropicUserText(content: Json | undefined): string | null {
  const blocks = toOptionalList(content);
  if (blocks === undefined) return getContentText(content);
  const textBlocks = blocks.filter((block) => !isToolResultType(getTypeName(block)));
  return textBlocks.length === 0 ? null : getContentText(textBlocks);
}
