import type { Json } from '@pawl/governor';
import {
  toJsonFields,
  getListField,
  getNumberField,
  getOwnField,
  getStringField,
  type JsonFields,
} from '../json-fields.ts';
import {
  joinTextBlocks,
  formatSseEvent,
  type ReplyReader,
  type ObservedReply,
  type ProviderTokenUsage,
  type WireFormat,
} from './wire-format.ts';

/** The OpenAI Responses API. The server may hold the history, by the id of the last reply. */
export const openaiResponsesWireFormat: WireFormat = {
  name: 'openai-responses',
  matchesPath: (path) => path.endsWith('/responses'),
  getInstructions: (body) => getOwnField(body, 'instructions') ?? null,
  getMessages(body, before) {
    const all = [...before, ...getResponsesInput(body)]
      .map((item) => toJsonFields(item))
      .filter((item) => item !== null);
    return all.length === 0 ? null : toChatMessages(all);
  },
  getPreviousReplyId: (body) => getStringField(body, 'previous_response_id') || null,
  getNewItems: getResponsesInput,
  addAdvice: (body, advice) => ({
    ...body,
    input: [...getResponsesInput(body), { role: 'user', content: advice }],
  }),
  removeTools(body) {
    const { tools: _, tool_choice: __, parallel_tool_calls: ___, ...rest } = body;
    return rest;
  },
  parseReply: parseResponsesReply,
  createReader: createResponsesReader,
};

function getResponsesInput(body: JsonFields): readonly Json[] {
  const input = getOwnField(body, 'input');
  return typeof input === 'string' ? [{ role: 'user', content: input }] : getListField(body, 'input');
}

/** Converts items to chat messages, one message per reply, so that its usage is counted once. */
function toChatMessages(items: readonly JsonFields[]): readonly JsonFields[] {
  const messages: JsonFields[] = [];
  for (const item of items) {
    const message = toChatMessage(item);
    const last = messages.at(-1);
    if (message === null) continue;
    if (
      last !== undefined &&
      getStringField(last, 'role') === 'assistant' &&
      getStringField(message, 'role') === 'assistant'
    ) {
      messages[messages.length - 1] = mergeAssistantMessages(last, message);
    } else messages.push(message);
  }
  return messages;
}

function toChatMessage(item: JsonFields): JsonFields | null {
  const type = getStringField(item, 'type');
  const role = getStringField(item, 'role');
  if (role !== '') return { role, content: joinTextBlocks(getOwnField(item, 'content')) };
  const id = getStringField(item, 'call_id') || getStringField(item, 'id');
  if (type.endsWith('_call_output'))
    return { role: 'tool', tool_call_id: id, content: getOwnField(item, 'output') ?? '' };
  if (!type.endsWith('_call')) return null;
  const name = getStringField(item, 'name') || type.slice(0, -'_call'.length);
  const args =
    getOwnField(item, 'arguments') ?? getOwnField(item, 'input') ?? getOwnField(item, 'action') ?? null;
  const called = { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
  return { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: called }] };
}

function mergeAssistantMessages(first: JsonFields, second: JsonFields): JsonFields {
  const texts = [getStringField(first, 'content'), getStringField(second, 'content')].filter(
    (text) => text !== '',
  );
  const tool_calls = [...getListField(first, 'tool_calls'), ...getListField(second, 'tool_calls')];
  return { role: 'assistant', content: texts.join(''), ...(tool_calls.length > 0 && { tool_calls }) };
}

function parseResponsesReply(body: JsonFields): ObservedReply {
  const items = getListField(body, 'output');
  const all = items.map((item) => toJsonFields(item) ?? {});
  const id = getStringField(body, 'id');
  return {
    text: all.map((item) => joinTextBlocks(getOwnField(item, 'content'))).join(''),
    calls: all
      .filter((item) => getStringField(item, 'type').endsWith('_call'))
      .map((item) => getStringField(item, 'call_id') || getStringField(item, 'id')),
    usage: parseResponsesUsage(body),
    reference: id === '' ? null : { id, items },
  };
}

function parseResponsesUsage(body: JsonFields): ProviderTokenUsage | null {
  const usage = toJsonFields(getOwnField(body, 'usage'));
  if (usage === null) return null;
  return {
    input_tokens: getNumberField(usage, 'input_tokens'),
    output_tokens: getNumberField(usage, 'output_tokens'),
  };
}

function createResponsesReader(): ReplyReader {
  let response: JsonFields = {};
  let sequence = 0;
  const items = new Map<number, JsonFields>();
  const texts = new Map<number, string>();
  return {
    read(event) {
      const index = getNumberField(event, 'output_index');
      sequence = Math.max(sequence, getNumberField(event, 'sequence_number'));
      response = toJsonFields(getOwnField(event, 'response')) ?? response;
      const item = toJsonFields(getOwnField(event, 'item'));
      if (item !== null) items.set(index, item);
      if (getStringField(event, 'type') !== 'response.output_text.delta') return '';
      const added = getStringField(event, 'delta');
      texts.set(index, (texts.get(index) ?? '') + added);
      return added;
    },
    getReply: () => parseResponsesReply(response),
    formatEnding() {
      const output = [...items].map(([index, item]) => toIncompleteItem(item, texts.get(index)));
      const incomplete_details = { reason: 'max_output_tokens' };
      const type = 'response.incomplete';
      const cut = { ...response, status: 'incomplete', incomplete_details, output };
      return formatSseEvent({ type, sequence_number: sequence + 1, response: cut }, type);
    },
  };
}

/** Returns an unfinished item with the text received so far, marked as incomplete. */
function toIncompleteItem(item: JsonFields, text: string | undefined): JsonFields {
  if (text === undefined || getStringField(item, 'status') === 'completed') return item;
  return { ...item, status: 'incomplete', content: [{ type: 'output_text', text, annotations: [] }] };
}
