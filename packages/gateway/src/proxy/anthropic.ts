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
  formatSseEvent,
  type ReplyReader,
  type ObservedReply,
  type ProviderTokenUsage,
  type WireFormat,
} from './wire-format.ts';

/** The Anthropic Messages API. */
export const anthropicWireFormat: WireFormat = {
  name: 'anthropic',
  matchesPath: (path) => path.endsWith('/messages'),
  getInstructions: (body) => getOwnField(body, 'system') ?? null,
  getMessages: (body) => toFieldsList(getListField(body, 'messages')),
  getPreviousReplyId: () => null,
  getNewItems: () => [],
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
  /** A conversation with tool calls must keep naming its tools, so forbid choosing one instead. */
  removeTools: (body) =>
    getOwnField(body, 'tools') === undefined ? body : { ...body, tool_choice: { type: 'none' } },
  parseReply: (body) => ({
    ...parseContentBlocks(getListField(body, 'content')),
    usage: parseAnthropicUsage(getObjectField(body, 'usage')),
    reference: null,
  }),
  createReader: createMessageReader,
};

/** Parses the text and the tool calls of a message. */
function parseContentBlocks(blocks: readonly Json[]): {
  readonly text: string;
  readonly calls: readonly string[];
} {
  const calls = blocks
    .map((block) => toJsonFields(block) ?? {})
    .filter((block) => getStringField(block, 'type') === 'tool_use')
    .map((block) => getStringField(block, 'id'));
  return { text: joinTextBlocks(blocks), calls };
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
  const calls: string[] = [];
  return {
    read(event) {
      const type = getStringField(event, 'type');
      if (type === 'message_start') usage = getObjectField(getObjectField(event, 'message'), 'usage');
      if (type === 'message_delta') usage = { ...usage, ...getObjectField(event, 'usage') };
      if (type === 'content_block_stop') open = null;
      if (type === 'content_block_start') {
        open = getNumberField(event, 'index');
        const block = getObjectField(event, 'content_block');
        if (getStringField(block, 'type') === 'tool_use') calls.push(getStringField(block, 'id'));
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
