import type { Json } from '../json.ts';
import { buildRun } from './build-run.ts';
import { contentText, resultOf } from './content.ts';
import type { Entry, Part, Result } from './entry.ts';
import { booleanOf, get, idOf, listOf, stringOf, typeOf } from '../json-fields.ts';
import { notAMessage } from './openai-chat.ts';
import { messagesOf, runFacts } from './run-facts.ts';
import { usageOf } from './tokens.ts';
import type { TraceFormat } from './trace-format.ts';

/** Messages of Anthropic's interface: calls and results are blocks of the content. */
export const anthropic: TraceFormat = {
  name: 'anthropic',
  sign: 'messages with tool_use, tool_result or thinking blocks (Anthropic)',
  recognise: (document) => (messagesOf(document)?.messages ?? []).some(hasBlocks),
  parse(document, name) {
    const { messages, where } = messagesOf(document) ?? { messages: [], where: '' };
    return buildRun(runFacts(document, name, 'anthropic'), messageListEntries(messages, where));
  },
};

function* messageListEntries(messages: readonly Json[], where: string): Generator<Entry> {
  for (const [index, message] of messages.entries()) yield* anthropicEntries(message, `${where}[${index}]`);
}

/** What comes with a message from around it. */
export type Around = { readonly at?: number | undefined; readonly key?: string | undefined };

export function* anthropicEntries(message: Json, where: string, around: Around = {}): Generator<Entry> {
  const role = get(message, 'role');
  const content = get(message, 'content');
  if (role === 'assistant') {
    const usage = usageOf(get(message, 'usage'));
    yield { type: 'reply', parts: replyParts(content), usage, ...around };
    yield* results(content, `${where}.content`);
  } else if (role === 'user') {
    yield* results(content, `${where}.content`);
    const said = userText(content);
    if (said !== null) yield { type: 'user', text: said, at: around.at };
  } else if (role !== 'system') yield { type: 'problem', where, problem: notAMessage(message) };
}

function hasBlocks(message: Json): boolean {
  return (listOf(get(message, 'content')) ?? []).some(isOwnBlock);
}

function isOwnBlock(block: Json): boolean {
  const type = typeOf(block);
  return isCall(type) || isResult(type) || isThought(type);
}

const isCall = (type: string): boolean =>
  type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use';
const isResult = (type: string): boolean => /(?:^|_)tool_result$/.test(type);
const isThought = (type: string): boolean => type === 'thinking' || type === 'redacted_thinking';

function replyParts(content: Json | undefined): readonly Part[] {
  const blocks = listOf(content);
  if (blocks === undefined) return typeof content === 'string' ? [{ type: 'text', text: content }] : [];
  return blocks.flatMap(replyPart);
}

function replyPart(block: Json): readonly Part[] {
  const type = typeOf(block);
  if (isThought(type)) return [{ type: 'thought', text: stringOf(get(block, 'thinking')) ?? '' }];
  if (isResult(type)) return [];
  if (!isCall(type)) return [{ type: 'text', text: contentText(block) }];
  const [tool, id] = [stringOf(get(block, 'name')) ?? type, idOf(get(block, 'id'))];
  return [{ type: 'call', id, tool, args: get(block, 'input') }];
}

function results(content: Json | undefined, where: string): readonly Result[] {
  return (listOf(content) ?? []).flatMap((block, index) => {
    if (!isResult(typeOf(block))) return [];
    const [id, inner] = [idOf(get(block, 'tool_use_id')), get(block, 'content')];
    // What the provider ran by itself says in the type of its content that it failed.
    const isFailure = typeOf(inner).endsWith('_error');
    const error = booleanOf(get(block, 'is_error')) ?? isFailure;
    return [{ type: 'result', id, result: resultOf(inner), error, where: `${where}[${index}]` }];
  });
}

/** What a person said; nothing when the message only carries results. */
function userText(content: Json | undefined): string | null {
  const blocks = listOf(content);
  if (blocks === undefined) return contentText(content);
  const said = blocks.filter((block) => !isResult(typeOf(block)));
  return said.length === 0 ? null : contentText(said);
}
