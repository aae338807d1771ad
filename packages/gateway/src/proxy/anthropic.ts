import type { Json } from '@pawl/governor';
import {
  getObjectField,
  toJsonFields,
  getListField,
  getNumberField,
  getOwnField,
  getStringField,
  type JsonFields,
} from '../json-fields.ts';
import {
  toFieldsList,
  joinTextBlocks,
  formatEventReply,
  formatJsonReply,
  formatSseEvent,
  type FormattedReply,
  type ProxyReply,
  type ReplyReader,
  type ObservedReply,
  type ObservedToolCall,
  type ProviderTokenUsage,
  type WireFormat,
} from './wire-format.ts';

/** The Anthropic Messages API. */
export const anthropicWireFormat: WireFormat = {
  name: 'anthropic',
  matchesPath: (path) => path.endsWith('/messages'),
  isStreamed: (body) => getOwnField(body, 'stream') === true,
  getModel: (body) => getStringField(body, 'model'),
  getInstructions: (body) => getOwnField(body, 'system') ?? null,
  getMessages: (body) => toFieldsList(getListField(body, 'messages')),
  getTools: (body) =>
    getListField(body, 'tools')
      .map((tool) => toJsonFields(tool) ?? {})
      .map((tool) => ({
        name: getStringField(tool, 'name'),
        parameters: getObjectField(tool, 'input_schema'),
      })),
  getPreviousReplyId: () => null,
  getNewItems: () => [],
  addUnsentItems: (body) => body,
  addAdvice(body, advice) {
    const messages = getListField(body, 'messages');
    const last = toJsonFields(messages.at(-1)) ?? {};
    const adviceBlock = { type: 'text', text: advice };
    if (getStringField(last, 'role') !== 'user')
      return { ...body, messages: [...messages, { role: 'user', content: [adviceBlock] }] };
    // Add to the last message itself, because not every server accepts two consecutive messages of the same role.
    const content = getOwnField(last, 'content');
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content }] : getListField(last, 'content');
    return { ...body, messages: [...messages.slice(0, -1), { ...last, content: [...blocks, adviceBlock] }] };
  },
  keepTools: keepAnthropicTools,
  parseReply: (body) => ({
    ...parseContentBlocks(getListField(body, 'content')),
    usage: parseAnthropicUsage(getObjectField(body, 'usage')),
    reference: null,
  }),
  createReader: createMessageReader,
  streamsJsonArrays: false,
  formatReply: formatAnthropicReply,
  formatError: (status, message) => ({
    type: 'error',
    error: { type: status < 500 ? 'invalid_request_error' : 'api_error', message },
  }),
};

/** A conversation with tool calls must keep naming its tools, so forbid choosing one if none is kept. */
function keepAnthropicTools(body: JsonFields, names: readonly string[]): JsonFields {
  if (getOwnField(body, 'tools') === undefined) return body;
  if (names.length === 0) return { ...body, tool_choice: { type: 'none' } };
  const tools = getListField(body, 'tools').filter((tool) =>
    names.includes(getStringField(toJsonFields(tool) ?? {}, 'name')),
  );
  const { tool_choice, ...rest } = body;
  const choice = toJsonFields(tool_choice) ?? {};
  const isUsableChoice =
    ['auto', 'any'].includes(getStringField(choice, 'type')) ||
    names.includes(getStringField(choice, 'name'));
  return { ...rest, tools, ...(isUsableChoice && tool_choice !== undefined && { tool_choice }) };
}

function formatAnthropicReply({ id, model, text, call }: ProxyReply, body: JsonFields): FormattedReply {
  const blocks = [
    { type: 'text', text },
    ...(call === null ? [] : [{ type: 'tool_use', id: `toolu_${id}`, name: call.tool, input: call.args }]),
  ];
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
  const stop_reason = call === null ? 'end_turn' : 'tool_use';
  const usage = { input_tokens: 0, output_tokens: 0 };
  if (getOwnField(body, 'stream') !== true)
    return formatJsonReply({ ...head, content: blocks, stop_reason, usage });
  const [textBlock, callBlock] = blocks;
  return formatEventReply([
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } },
    ...formatBlockEvents(0, { ...textBlock, text: '' }, { type: 'text_delta', text }),
    ...(call === null
      ? []
      : formatBlockEvents(
          1,
          { ...callBlock, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(call.args) },
        )),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 0 } },
    { type: 'message_stop' },
  ]);
}

function formatBlockEvents(
  index: number,
  content_block: JsonFields,
  delta: JsonFields,
): readonly ({ readonly type: string } & JsonFields)[] {
  return [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}

/** Parses the text and the tool calls of a message. */
function parseContentBlocks(blocks: readonly Json[]): {
  readonly text: string;
  readonly calls: readonly ObservedToolCall[];
} {
  const calls = blocks
    .map((block) => toJsonFields(block) ?? {})
    .filter((block) => getStringField(block, 'type') === 'tool_use')
    .map(toObservedCall);
  return { text: joinTextBlocks(blocks), calls };
}

function toObservedCall(block: JsonFields): ObservedToolCall {
  return { id: getStringField(block, 'id'), tool: getStringField(block, 'name') };
}

function parseAnthropicUsage(usage: JsonFields): ProviderTokenUsage | null {
  const inputFields = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const input_tokens = inputFields.reduce((sum, name) => sum + getNumberField(usage, name), 0);
  const output_tokens = getNumberField(usage, 'output_tokens');
  return input_tokens + output_tokens === 0 ? null : { input_tokens, output_tokens };
}

function createMessageReader(): ReplyReader {
  let text = '';
  let usage: JsonFields = {};
  let open: number | null = null;
  const calls: ObservedToolCall[] = [];
  return {
    read(event) {
      const type = getStringField(event, 'type');
      if (type === 'message_start') usage = getObjectField(getObjectField(event, 'message'), 'usage');
      if (type === 'message_delta') usage = { ...usage, ...getObjectField(event, 'usage') };
      if (type === 'content_block_stop') open = null;
      if (type === 'content_block_start') {
        open = getNumberField(event, 'index');
        const block = getObjectField(event, 'content_block');
        if (getStringField(block, 'type') === 'tool_use') calls.push(toObservedCall(block));
      }
      const added =
        type === 'content_block_delta' ? getStringField(getObjectField(event, 'delta'), 'text') : '';
      text += added;
      return added;
    },
    getReply: (): ObservedReply => ({ text, calls, usage: parseAnthropicUsage(usage), reference: null }),
    formatEnding() {
      const delta = { stop_reason: 'max_tokens', stop_sequence: null };
      const output_tokens = getNumberField(usage, 'output_tokens');
      return [
        ...(open === null ? [] : [{ type: 'content_block_stop', index: open }]),
        { type: 'message_delta', delta, usage: { output_tokens } },
        { type: 'message_stop' },
      ]
        .map((event) => formatSseEvent(event, event.type))
        .join('');
    },
  };
}
