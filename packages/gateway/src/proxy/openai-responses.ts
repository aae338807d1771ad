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
  joinTextBlocks,
  formatEventReply,
  formatJsonReply,
  formatSseEvent,
  type FormattedReply,
  type ProxyReply,
  type ReplyReader,
  type ObservedReply,
  type ProviderTokenUsage,
  type WireFormat,
} from './wire-format.ts';
import type { UnsentItems } from './conversations.ts';
import { formatOpenAiError } from './openai-chat.ts';

/** The OpenAI Responses API. The server may hold the history, by the id of the last reply. */
export const openaiResponsesWireFormat: WireFormat = {
  name: 'openai-responses',
  matchesPath: (path) => path.endsWith('/responses'),
  isStreamed: (body) => getOwnField(body, 'stream') === true,
  getModel: (body) => getStringField(body, 'model'),
  getInstructions: (body) => getOwnField(body, 'instructions') ?? null,
  getMessages(body, before) {
    const all = [...before, ...getResponsesInput(body)]
      .map((item) => toJsonFields(item))
      .filter((item) => item !== null);
    return all.length === 0 ? null : toChatMessages(all);
  },
  getTools: (body) =>
    getListField(body, 'tools')
      .map((tool) => toJsonFields(tool) ?? {})
      .filter((tool) => getStringField(tool, 'type') === 'function')
      .map((tool) => ({
        name: getStringField(tool, 'name'),
        parameters: getObjectField(tool, 'parameters'),
      })),
  getPreviousReplyId: (body) => getStringField(body, 'previous_response_id') || null,
  getNewItems: getResponsesInput,
  addUnsentItems: addUnsentInput,
  addAdvice: (body, advice) => ({
    ...body,
    input: [...getResponsesInput(body), { role: 'user', content: advice }],
  }),
  keepTools: keepResponsesTools,
  parseReply: parseResponsesReply,
  createReader: createResponsesReader,
  streamsJsonArrays: false,
  formatReply: formatResponsesReply,
  formatError: formatOpenAiError,
};

function addUnsentInput(body: JsonFields, { previousId, items }: UnsentItems): JsonFields {
  const { previous_response_id: _, ...rest } = body;
  const input = [...items, ...getResponsesInput(body)];
  return { ...rest, ...(previousId !== null && { previous_response_id: previousId }), input };
}

function keepResponsesTools(body: JsonFields, names: readonly string[]): JsonFields {
  const { tools: _, tool_choice, parallel_tool_calls, ...rest } = body;
  if (names.length === 0) return rest;
  const isKept = (tool: Json | undefined): boolean =>
    names.includes(getStringField(toJsonFields(tool) ?? {}, 'name'));
  const isUsableChoice = tool_choice === 'auto' || tool_choice === 'required' || isKept(tool_choice);
  return {
    ...rest,
    tools: getListField(body, 'tools').filter(isKept),
    ...(isUsableChoice && tool_choice !== undefined && { tool_choice }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
  };
}

function formatResponsesReply(reply: ProxyReply, body: JsonFields): FormattedReply {
  const { id, model, createdAt, text, call } = reply;
  const part = { type: 'output_text', text, annotations: [] };
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    content: [part],
  };
  const called = call && {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: call.tool,
    arguments: JSON.stringify(call.args),
    status: 'completed',
  };
  const started = {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(createdAt / 1000),
    model,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const details = {
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, ...details };
  const output = called === null ? [message] : [message, called];
  const completed = { ...started, status: 'completed', output, usage };
  // Without their ids, the items are valid input even if the server has never seen them.
  const reference = { id: completed.id, items: output.map(removeItemId) };
  if (getOwnField(body, 'stream') !== true) return { ...formatJsonReply(completed), reference };
  const at = { item_id: message.id, output_index: 0, content_index: 0 };
  const events: readonly ({ readonly type: string } & JsonFields)[] = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...message, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...at, delta: text },
    { type: 'response.output_text.done', ...at, text },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item: message },
    ...(called === null ? [] : formatCallEvents(called)),
    { type: 'response.completed', response: completed },
  ];
  return {
    ...formatEventReply(events.map((event, sequence_number) => ({ ...event, sequence_number }))),
    reference,
  };
}

function removeItemId(item: JsonFields): JsonFields {
  const { id: _, ...rest } = item;
  return rest;
}

function formatCallEvents(
  item: JsonFields & { readonly id: string; readonly arguments: string },
): readonly ({ readonly type: string } & JsonFields)[] {
  const at = { item_id: item.id, output_index: 1 };
  return [
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { ...item, status: 'in_progress', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
    { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
    { type: 'response.output_item.done', output_index: 1, item },
  ];
}

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
      .map((item) => ({
        id: getStringField(item, 'call_id') || getStringField(item, 'id'),
        tool: getStringField(item, 'name'),
      })),
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
