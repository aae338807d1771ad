import type { Json } from '@pawl/core';
import { fieldsIn, fieldsOf, listIn, numberIn, own, textIn, type Fields } from '../json-fields.ts';
import { contentText } from './content.ts';
import { fieldsOfAll } from './openai-chat.ts';
import { eventText, type ReplyReader, type SeenReply, type TokenUsage, type Wire } from './wire.ts';

/** Anthropic's messages. */
export const anthropic: Wire = {
  name: 'anthropic',
  isAt: (path) => path.endsWith('/messages'),
  instructions: (body) => own(body, 'system') ?? null,
  messages: (body) => fieldsOfAll(listIn(body, 'messages')),
  goesOnFrom: () => null,
  items: () => [],
  withAdvice(body, advice) {
    const messages = listIn(body, 'messages');
    const last = fieldsOf(messages.at(-1)) ?? {};
    const note = { type: 'text', text: advice };
    if (textIn(last, 'role') !== 'user')
      return { ...body, messages: [...messages, { role: 'user', content: [note] }] };
    // In the last message itself, since two of the same role in a row are not welcome everywhere.
    const content = own(last, 'content');
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(last, 'content');
    return { ...body, messages: [...messages.slice(0, -1), { ...last, content: [...blocks, note] }] };
  },
  /** A conversation with calls in it must go on naming its tools: so none may be chosen. */
  withoutTools: (body) =>
    own(body, 'tools') === undefined ? body : { ...body, tool_choice: { type: 'none' } },
  replyIn: (body) => ({
    ...blocksIn(listIn(body, 'content')),
    usage: usageIn(fieldsIn(body, 'usage')),
    kept: null,
  }),
  reader: messageReader,
};

/** What a message says and which calls it asks for. */
function blocksIn(blocks: readonly Json[]): {
  readonly text: string;
  readonly calls: readonly string[];
} {
  const calls = blocks
    .map((block) => fieldsOf(block) ?? {})
    .filter((block) => textIn(block, 'type') === 'tool_use')
    .map((block) => textIn(block, 'id'));
  return { text: contentText(blocks), calls };
}

function usageIn(usage: Fields): TokenUsage | null {
  const read = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const input_tokens = read.reduce((sum, name) => sum + numberIn(usage, name), 0);
  const output_tokens = numberIn(usage, 'output_tokens');
  return input_tokens + output_tokens === 0 ? null : { input_tokens, output_tokens };
}

function messageReader(): ReplyReader {
  let text = '';
  let usage: Fields = {};
  let open: number | null = null;
  const calls: string[] = [];
  return {
    read(event) {
      const type = textIn(event, 'type');
      if (type === 'message_start') usage = fieldsIn(fieldsIn(event, 'message'), 'usage');
      if (type === 'message_delta') usage = { ...usage, ...fieldsIn(event, 'usage') };
      if (type === 'content_block_stop') open = null;
      if (type === 'content_block_start') {
        open = numberIn(event, 'index');
        const block = fieldsIn(event, 'content_block');
        if (textIn(block, 'type') === 'tool_use') calls.push(textIn(block, 'id'));
      }
      const added = type === 'content_block_delta' ? textIn(fieldsIn(event, 'delta'), 'text') : '';
      text += added;
      return added;
    },
    reply: (): SeenReply => ({ text, calls, usage: usageIn(usage), kept: null }),
    ending() {
      const delta = { stop_reason: 'max_tokens', stop_sequence: null };
      const output_tokens = numberIn(usage, 'output_tokens');
      return [
        ...(open === null ? [] : [{ type: 'content_block_stop', index: open }]),
        { type: 'message_delta', delta, usage: { output_tokens } },
        { type: 'message_stop' },
      ]
        .map((event) => eventText(event, event.type))
        .join('');
    },
  };
}
