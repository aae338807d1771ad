import { createOpenAI } from '@ai-sdk/openai';
import { createAiSdkModel } from '../../../src/models/providers/ai-sdk-model.ts';
import {
  createModelFromSpec,
  type NamedModelOptions,
} from '../../../src/models/providers/model-from-spec.ts';
import type { Model } from '../../../src/models/model.ts';
import { formatServerEvent } from '../../../../../scripts/testing/test-server.ts';

/*
 * The four formats that providers speak, each as the provider's own interface sends it, for the real packages to read.
 */

export type WireCall = { readonly id?: string; readonly tool: string; readonly input: string };

export type WireReply = {
  readonly text?: readonly string[];
  readonly calls?: readonly WireCall[];
  readonly reasoning?: string;
  readonly finish?: 'stop' | 'length' | 'filter';
};

export type WireFormat = {
  readonly name: string;
  readonly open: (url: string, options?: NamedModelOptions) => Promise<Model>;
  /** The events of a reply. The last is the one that says that it is complete. */
  readonly events: (reply: WireReply) => readonly string[];
  /** How the provider words that there is no room. */
  readonly overflow: { readonly status: number; readonly body: unknown };
};

const testApiKey = 'sk-test-0123456789abcdef';
export const testEnvironment: { readonly [name: string]: string } = {
  OPENAI_API_KEY: testApiKey,
  ANTHROPIC_API_KEY: testApiKey,
  GEMINI_API_KEY: testApiKey,
  PAWL_API_KEY: testApiKey,
};

const createWireOpener =
  (provider: string) =>
  (url: string, options: NamedModelOptions = {}): Promise<Model> =>
    createModelFromSpec(`${provider}:test-model`, testEnvironment, { ...options, baseUrl: url });

function formatChatChunk(delta: unknown, finish: string | null = null): string {
  return formatServerEvent({
    id: 'c1',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
}

function formatChatEvents({
  text = [],
  calls = [],
  reasoning,
  finish = 'stop',
}: WireReply): readonly string[] {
  const reasons = {
    stop: calls.length > 0 ? 'tool_calls' : 'stop',
    length: 'length',
    filter: 'content_filter',
  };
  const usage = {
    prompt_tokens: 120,
    completion_tokens: 30,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 100 },
  };
  return [
    ...(reasoning === undefined ? [] : [formatChatChunk({ reasoning_content: reasoning })]),
    ...text.map((content) => formatChatChunk({ role: 'assistant', content })),
    ...calls.map(({ id, tool, input }, index) =>
      formatChatChunk({
        tool_calls: [{ index, id, type: 'function', function: { name: tool, arguments: input } }],
      }),
    ),
    formatServerEvent({
      id: 'c1',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: {}, finish_reason: reasons[finish] }],
      usage,
    }),
    formatServerEvent('[DONE]'),
  ];
}

function formatResponsesEvents({
  text = [],
  calls = [],
  reasoning,
  finish = 'stop',
}: WireReply): readonly string[] {
  const message = { type: 'message', id: 'msg_1' };
  const thought = { type: 'reasoning', id: 'rs_1' };
  const usage = {
    input_tokens: 120,
    input_tokens_details: { cached_tokens: 100 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const end = {
    stop: { type: 'response.completed', response: { usage } },
    length: {
      type: 'response.incomplete',
      response: { usage, incomplete_details: { reason: 'max_output_tokens' } },
    },
    filter: {
      type: 'response.incomplete',
      response: { usage, incomplete_details: { reason: 'content_filter' } },
    },
  };
  return [
    formatServerEvent({ type: 'response.created', response: { id: 'r1', created_at: 1, model: 'm' } }),
    ...(reasoning === undefined
      ? []
      : [
          formatServerEvent({ type: 'response.output_item.added', output_index: 0, item: thought }),
          formatServerEvent({
            type: 'response.reasoning_summary_text.delta',
            item_id: 'rs_1',
            summary_index: 0,
            delta: reasoning,
          }),
          formatServerEvent({
            type: 'response.output_item.done',
            output_index: 0,
            item: { ...thought, encrypted_content: 'signed-thought' },
          }),
        ]),
    formatServerEvent({ type: 'response.output_item.added', output_index: 1, item: message }),
    ...text.map((delta) =>
      formatServerEvent({ type: 'response.output_text.delta', item_id: 'msg_1', delta }),
    ),
    formatServerEvent({ type: 'response.output_item.done', output_index: 1, item: message }),
    ...calls.flatMap(({ id = '', tool, input }, index) => {
      const item = { type: 'function_call', id: `fc_${index}`, call_id: id, name: tool };
      const at = { output_index: index + 2 };
      return [
        formatServerEvent({ type: 'response.output_item.added', ...at, item: { ...item, arguments: '' } }),
        formatServerEvent({
          type: 'response.function_call_arguments.delta',
          ...at,
          item_id: item.id,
          delta: input,
        }),
        formatServerEvent({
          type: 'response.output_item.done',
          ...at,
          item: { ...item, arguments: input, status: 'completed' },
        }),
      ];
    }),
    formatServerEvent(end[finish]),
  ];
}

/** Anthropic names each event by its type. */
function formatNamedEvent(data: { readonly type: string; readonly [name: string]: unknown }): string {
  return formatServerEvent(data, data.type);
}

function formatAnthropicEvents({
  text = [],
  calls = [],
  reasoning,
  finish = 'stop',
}: WireReply): readonly string[] {
  const block = (index: number, start: unknown, deltas: readonly unknown[]): readonly string[] => [
    formatNamedEvent({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => formatNamedEvent({ type: 'content_block_delta', index, delta })),
    formatNamedEvent({ type: 'content_block_stop', index }),
  ];
  const reasons = {
    stop: calls.length > 0 ? 'tool_use' : 'end_turn',
    length: 'max_tokens',
    filter: 'refusal',
  };
  const usage = {
    input_tokens: 20,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
  const message = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    usage,
  };
  return [
    formatNamedEvent({ type: 'message_start', message }),
    formatNamedEvent({ type: 'ping' }),
    ...(reasoning === undefined
      ? []
      : block(0, { type: 'thinking', thinking: '', signature: '' }, [
          { type: 'thinking_delta', thinking: reasoning },
          { type: 'signature_delta', signature: 'signed-thought' },
        ])),
    ...(text.length === 0
      ? []
      : block(
          1,
          { type: 'text', text: '' },
          text.map((piece) => ({ type: 'text_delta', text: piece })),
        )),
    ...calls.flatMap(({ id = '', tool, input }, index) =>
      block(index + 2, { type: 'tool_use', id, name: tool, input: {} }, [
        { type: 'input_json_delta', partial_json: input },
      ]),
    ),
    formatNamedEvent({
      type: 'message_delta',
      delta: { stop_reason: reasons[finish], stop_sequence: null },
      usage: { output_tokens: 30 },
    }),
    formatNamedEvent({ type: 'message_stop' }),
  ];
}

function formatGoogleParts(list: readonly unknown[]): string {
  return formatServerEvent({ candidates: [{ content: { role: 'model', parts: list }, index: 0 }] });
}

function formatGoogleEvents({
  text = [],
  calls = [],
  reasoning,
  finish = 'stop',
}: WireReply): readonly string[] {
  const reasons = { stop: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' };
  return [
    ...(reasoning === undefined ? [] : [formatGoogleParts([{ text: reasoning, thought: true }])]),
    ...text.map((piece) => formatGoogleParts([{ text: piece }])),
    ...calls.map(({ tool, input }) =>
      formatGoogleParts([
        {
          functionCall: { name: tool, args: JSON.parse(input) as unknown },
          thoughtSignature: 'signed-thought',
        },
      ]),
    ),
    formatServerEvent({
      responseId: 'r1',
      modelVersion: 'm',
      candidates: [{ content: { role: 'model', parts: [] }, index: 0, finishReason: reasons[finish] }],
      usageMetadata: {
        promptTokenCount: 120,
        cachedContentTokenCount: 100,
        candidatesTokenCount: 30,
        totalTokenCount: 150,
      },
    }),
  ];
}

export const wireFormats: readonly WireFormat[] = [
  {
    name: 'openai',
    open: createWireOpener('openai'),
    events: formatResponsesEvents,
    overflow: {
      status: 400,
      body: {
        error: {
          message:
            'Your input exceeds the context window of this model. Please adjust your input and try again.',
          type: 'invalid_request_error',
          param: 'input',
          code: 'context_length_exceeded',
        },
      },
    },
  },
  {
    name: 'openai, chat completions',
    open: async (url, options = {}) => {
      const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: testApiKey }).chat('test-model');
      return createAiSdkModel(model, { ...options, secrets: [testApiKey] });
    },
    events: formatChatEvents,
    overflow: {
      status: 400,
      body: {
        error: {
          message:
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    },
  },
  {
    name: 'openai-compatible',
    open: createWireOpener('openai-compatible'),
    events: formatChatEvents,
    overflow: {
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        },
      },
    },
  },
  {
    name: 'anthropic',
    open: createWireOpener('anthropic'),
    events: formatAnthropicEvents,
    overflow: {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 213462 tokens > 200000 maximum',
        },
      },
    },
  },
  {
    name: 'google',
    open: createWireOpener('google'),
    events: formatGoogleEvents,
    overflow: {
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
          status: 'INVALID_ARGUMENT',
        },
      },
    },
  },
];
