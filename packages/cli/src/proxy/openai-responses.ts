import type { Json } from '@pawl/core';
import { fieldsOf, listIn, numberIn, own, textIn, type Fields } from '../json-fields.ts';
import { contentText } from './content.ts';
import { eventText, type ReplyReader, type SeenReply, type TokenUsage, type Wire } from './wire.ts';

/** OpenAI's Responses. What came before may be left to the server, by the id of the last reply. */
export const openaiResponses: Wire = {
  name: 'openai-responses',
  isAt: (path) => path.endsWith('/responses'),
  instructions: (body) => own(body, 'instructions') ?? null,
  messages(body, before) {
    const all = [...before, ...itemsIn(body)].map((item) => fieldsOf(item)).filter((item) => item !== null);
    return all.length === 0 ? null : chatMessages(all);
  },
  goesOnFrom: (body) => textIn(body, 'previous_response_id') || null,
  items: itemsIn,
  withAdvice: (body, advice) => ({ ...body, input: [...itemsIn(body), { role: 'user', content: advice }] }),
  withoutTools(body) {
    const { tools: _, tool_choice: __, parallel_tool_calls: ___, ...rest } = body;
    return rest;
  },
  replyIn,
  reader: responseReader,
};

function itemsIn(body: Fields): readonly Json[] {
  const input = own(body, 'input');
  return typeof input === 'string' ? [{ role: 'user', content: input }] : listIn(body, 'input');
}

/** Items as the messages of a chat, where a reply is one message: so all of it can be counted together. */
function chatMessages(items: readonly Fields[]): readonly Fields[] {
  const messages: Fields[] = [];
  for (const item of items) {
    const message = chatMessage(item);
    const last = messages.at(-1);
    if (message === null) continue;
    if (
      last !== undefined &&
      textIn(last, 'role') === 'assistant' &&
      textIn(message, 'role') === 'assistant'
    ) {
      messages[messages.length - 1] = joined(last, message);
    } else messages.push(message);
  }
  return messages;
}

function chatMessage(item: Fields): Fields | null {
  const type = textIn(item, 'type');
  const role = textIn(item, 'role');
  if (role !== '') return { role, content: contentText(own(item, 'content')) };
  const id = textIn(item, 'call_id') || textIn(item, 'id');
  if (type.endsWith('_call_output'))
    return { role: 'tool', tool_call_id: id, content: own(item, 'output') ?? '' };
  if (!type.endsWith('_call')) return null;
  const name = textIn(item, 'name') || type.slice(0, -'_call'.length);
  const args = own(item, 'arguments') ?? own(item, 'input') ?? own(item, 'action') ?? null;
  const called = { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
  return { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: called }] };
}

function joined(first: Fields, second: Fields): Fields {
  const texts = [textIn(first, 'content'), textIn(second, 'content')].filter((text) => text !== '');
  const tool_calls = [...listIn(first, 'tool_calls'), ...listIn(second, 'tool_calls')];
  return { role: 'assistant', content: texts.join(''), ...(tool_calls.length > 0 && { tool_calls }) };
}

function replyIn(body: Fields): SeenReply {
  const items = listIn(body, 'output');
  const all = items.map((item) => fieldsOf(item) ?? {});
  const id = textIn(body, 'id');
  return {
    text: all.map((item) => contentText(own(item, 'content'))).join(''),
    calls: all
      .filter((item) => textIn(item, 'type').endsWith('_call'))
      .map((item) => textIn(item, 'call_id') || textIn(item, 'id')),
    usage: usageIn(body),
    kept: id === '' ? null : { id, items },
  };
}

function usageIn(body: Fields): TokenUsage | null {
  const usage = fieldsOf(own(body, 'usage'));
  if (usage === null) return null;
  return { input_tokens: numberIn(usage, 'input_tokens'), output_tokens: numberIn(usage, 'output_tokens') };
}

function responseReader(): ReplyReader {
  let response: Fields = {};
  let sequence = 0;
  const items = new Map<number, Fields>();
  const texts = new Map<number, string>();
  return {
    read(event) {
      const index = numberIn(event, 'output_index');
      sequence = Math.max(sequence, numberIn(event, 'sequence_number'));
      response = fieldsOf(own(event, 'response')) ?? response;
      const item = fieldsOf(own(event, 'item'));
      if (item !== null) items.set(index, item);
      if (textIn(event, 'type') !== 'response.output_text.delta') return '';
      const added = textIn(event, 'delta');
      texts.set(index, (texts.get(index) ?? '') + added);
      return added;
    },
    reply: () => replyIn(response),
    ending() {
      const output = [...items].map(([index, item]) => unfinished(item, texts.get(index)));
      const incomplete_details = { reason: 'max_output_tokens' };
      const type = 'response.incomplete';
      const cut = { ...response, status: 'incomplete', incomplete_details, output };
      return eventText({ type, sequence_number: sequence + 1, response: cut }, type);
    },
  };
}

/** An item as far as it has come. */
function unfinished(item: Fields, text: string | undefined): Fields {
  if (text === undefined || textIn(item, 'status') === 'completed') return item;
  return { ...item, status: 'incomplete', content: [{ type: 'output_text', text, annotations: [] }] };
}
