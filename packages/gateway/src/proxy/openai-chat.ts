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
  formatJsonReply,
  formatSseEvent,
  type FormattedReply,
  type RequestTool,
  type ProxyReply,
  type RequestedProxyCall,
  type ReplyReader,
  type ObservedReply,
  type ObservedToolCall,
  type ProviderTokenUsage,
  type WireFormat,
} from './wire-format.ts';

/** The OpenAI Chat Completions API, which most other servers support as well. */
export const openaiChatWireFormat: WireFormat = {
  name: 'openai-chat',
  matchesPath: (path) => path.endsWith('/chat/completions'),
  isStreamed: (body) => getOwnField(body, 'stream') === true,
  getModel: (body) => getStringField(body, 'model'),
  getInstructions: () => null,
  getMessages: (body) => toFieldsList(getListField(body, 'messages')),
  getTools: (body) =>
    [
      ...getListField(body, 'tools').map((tool) => getObjectField(toJsonFields(tool) ?? {}, 'function')),
      ...getListField(body, 'functions').map((tool) => toJsonFields(tool) ?? {}),
    ].map(toRequestTool),
  getPreviousReplyId: () => null,
  getNewItems: () => [],
  addUnsentItems: (body) => body,
  addAdvice: (body, advice) => ({
    ...body,
    messages: [...getListField(body, 'messages'), { role: 'user', content: advice }],
  }),
  keepTools: keepChatTools,
  parseReply(body) {
    const message = getObjectField(getFirstChoice(body), 'message');
    return {
      text: joinTextBlocks(getOwnField(message, 'content')),
      calls: getListField(message, 'tool_calls').map((call) => toObservedCall(toJsonFields(call) ?? {})),
      usage: parseChatUsage(body),
      reference: null,
    };
  },
  createReader: createChatReader,
  streamsJsonArrays: false,
  formatReply: formatChatReply,
  formatError: formatOpenAiError,
};

/** Formats an error for clients of OpenAI's APIs. */
export function formatOpenAiError(_status: number, message: string): JsonFields {
  return { error: { type: 'pawl_proxy', code: 'pawl_proxy', param: null, message } };
}

/** Removes all fields about tools, or all other tools and a choice of one of those. */
function keepChatTools(body: JsonFields, names: readonly string[]): JsonFields {
  if (names.length === 0)
    return Object.fromEntries(Object.entries(body).filter(([name]) => !toolFields.has(name)));
  const isKept = (fn: JsonFields): boolean => names.includes(getStringField(fn, 'name'));
  const filterTools = (field: string, getFunction: (tool: JsonFields) => JsonFields): JsonFields => {
    if (getOwnField(body, field) === undefined) return {};
    return {
      [field]: getListField(body, field).filter((tool) => isKept(getFunction(toJsonFields(tool) ?? {}))),
    };
  };
  const { tool_choice, function_call, ...rest } = body;
  const isUsableChoice = (choice: Json | undefined): boolean =>
    choice === 'auto' ||
    choice === 'required' ||
    (tool_choice === choice && isKept(getObjectField(toJsonFields(choice) ?? {}, 'function')));
  return {
    ...rest,
    ...filterTools('tools', (tool) => getObjectField(tool, 'function')),
    ...filterTools('functions', (tool) => tool),
    ...(isUsableChoice(tool_choice) && { tool_choice }),
    ...(function_call === 'auto' && { function_call }),
  };
}

function toRequestTool(fn: JsonFields): RequestTool {
  return { name: getStringField(fn, 'name'), parameters: getObjectField(fn, 'parameters') };
}

function formatChatReply({ id, model, createdAt, text, call }: ProxyReply, body: JsonFields): FormattedReply {
  const head = { id: `chatcmpl-${id}`, created: Math.floor(createdAt / 1000), model };
  const finish_reason = call === null ? 'stop' : 'tool_calls';
  const tool_calls = call === null ? null : [toChatCall(id, call)];
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  if (getOwnField(body, 'stream') !== true) {
    const message = { role: 'assistant', content: text, ...(tool_calls && { tool_calls }) };
    return formatJsonReply({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
  }
  const toChunk = (delta: JsonFields, reason: string | null = null): JsonFields => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const wantsUsage = getOwnField(getObjectField(body, 'stream_options'), 'include_usage') === true;
  const chunks = [
    toChunk({ role: 'assistant', content: text }),
    ...(tool_calls === null
      ? []
      : [toChunk({ tool_calls: tool_calls.map((each) => ({ index: 0, ...each })) })]),
    toChunk({}, finish_reason),
    ...(wantsUsage ? [{ ...head, object: 'chat.completion.chunk', choices: [], usage }] : []),
  ];
  return {
    contentType: 'text/event-stream',
    body: `${chunks.map((chunk) => formatSseEvent(chunk)).join('')}data: [DONE]\n\n`,
    reference: null,
  };
}

function toChatCall(id: string, { tool, args }: RequestedProxyCall): JsonFields {
  return { id: `call_${id}`, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } };
}

/** All request fields about tools, current and legacy. */
const toolFields: ReadonlySet<string> = new Set([
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
]);

function toObservedCall(call: JsonFields): ObservedToolCall {
  return {
    id: getStringField(call, 'id'),
    tool: getStringField(getObjectField(call, 'function'), 'name'),
  };
}

function getFirstChoice(body: JsonFields): JsonFields {
  return toJsonFields(getListField(body, 'choices')[0]) ?? {};
}

function parseChatUsage(body: JsonFields): ProviderTokenUsage | null {
  const usage = toJsonFields(getOwnField(body, 'usage'));
  if (usage === null) return null;
  return {
    input_tokens: getNumberField(usage, 'prompt_tokens'),
    output_tokens: getNumberField(usage, 'completion_tokens'),
  };
}

function createChatReader(): ReplyReader {
  let last: JsonFields = {};
  let text = '';
  let usage: ProviderTokenUsage | null = null;
  const calls = new Map<number, ObservedToolCall>();
  return {
    read(event) {
      last = event;
      usage = parseChatUsage(event) ?? usage;
      const delta = getObjectField(getFirstChoice(event), 'delta');
      for (const each of getListField(delta, 'tool_calls').map((call) => toJsonFields(call) ?? {})) {
        if (getStringField(each, 'id') !== '') calls.set(getNumberField(each, 'index'), toObservedCall(each));
      }
      const added = getStringField(delta, 'content');
      text += added;
      return added;
    },
    getReply: (): ObservedReply => ({ text, calls: [...calls.values()], usage, reference: null }),
    formatEnding() {
      const { usage: _, ...rest } = last;
      const choice = { index: 0, delta: {}, finish_reason: 'length' };
      return `${formatSseEvent({ ...rest, choices: [choice] })}data: [DONE]\n\n`;
    },
  };
}
