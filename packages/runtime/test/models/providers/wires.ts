import { createOpenAI } from '@ai-sdk/openai';
import { createAiSdkModel } from '../../../src/models/providers/ai-sdk-model.ts';
import { modelNamed, type NamedModelOptions } from '../../../src/models/providers/model-named.ts';
import type { Model } from '../../../src/models/model.ts';
import { event } from './server.ts';

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

export type Wire = {
  readonly name: string;
  readonly open: (url: string, options?: NamedModelOptions) => Promise<Model>;
  /** The events of a reply. The last is the one that says that it is complete. */
  readonly events: (reply: WireReply) => readonly string[];
  /** How the provider words that there is no room. */
  readonly overflow: { readonly status: number; readonly body: unknown };
};

const key = 'sk-test-0123456789abcdef';
export const environment: { readonly [name: string]: string } = {
  OPENAI_API_KEY: key,
  ANTHROPIC_API_KEY: key,
  GEMINI_API_KEY: key,
  PAWL_API_KEY: key,
};

const open =
  (provider: string) =>
  (url: string, options: NamedModelOptions = {}): Promise<Model> =>
    modelNamed(`${provider}:test-model`, environment, { ...options, baseUrl: url });

function chatChunk(delta: unknown, finish: string | null = null): string {
  return event({ id: 'c1', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] });
}

function chatEvents({ text = [], calls = [], reasoning, finish = 'stop' }: WireReply): readonly string[] {
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
    ...(reasoning === undefined ? [] : [chatChunk({ reasoning_content: reasoning })]),
    ...text.map((content) => chatChunk({ role: 'assistant', content })),
    ...calls.map(({ id, tool, input }, index) =>
      chatChunk({
        tool_calls: [{ index, id, type: 'function', function: { name: tool, arguments: input } }],
      }),
    ),
    event({
      id: 'c1',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: {}, finish_reason: reasons[finish] }],
      usage,
    }),
    event('[DONE]'),
  ];
}

function responsesEvents({
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
    event({ type: 'response.created', response: { id: 'r1', created_at: 1, model: 'm' } }),
    ...(reasoning === undefined
      ? []
      : [
          event({ type: 'response.output_item.added', output_index: 0, item: thought }),
          event({
            type: 'response.reasoning_summary_text.delta',
            item_id: 'rs_1',
            summary_index: 0,
            delta: reasoning,
          }),
          event({
            type: 'response.output_item.done',
            output_index: 0,
            item: { ...thought, encrypted_content: 'signed-thought' },
          }),
        ]),
    event({ type: 'response.output_item.added', output_index: 1, item: message }),
    ...text.map((delta) => event({ type: 'response.output_text.delta', item_id: 'msg_1', delta })),
    event({ type: 'response.output_item.done', output_index: 1, item: message }),
    ...calls.flatMap(({ id = '', tool, input }, index) => {
      const item = { type: 'function_call', id: `fc_${index}`, call_id: id, name: tool };
      const at = { output_index: index + 2 };
      return [
        event({ type: 'response.output_item.added', ...at, item: { ...item, arguments: '' } }),
        event({ type: 'response.function_call_arguments.delta', ...at, item_id: item.id, delta: input }),
        event({
          type: 'response.output_item.done',
          ...at,
          item: { ...item, arguments: input, status: 'completed' },
        }),
      ];
    }),
    event(end[finish]),
  ];
}

/** Anthropic names each event by its type. */
function named(data: { readonly type: string; readonly [name: string]: unknown }): string {
  return event(data, data.type);
}

function anthropicEvents({
  text = [],
  calls = [],
  reasoning,
  finish = 'stop',
}: WireReply): readonly string[] {
  const block = (index: number, start: unknown, deltas: readonly unknown[]): readonly string[] => [
    named({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
    named({ type: 'content_block_stop', index }),
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
    named({ type: 'message_start', message }),
    named({ type: 'ping' }),
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
    named({
      type: 'message_delta',
      delta: { stop_reason: reasons[finish], stop_sequence: null },
      usage: { output_tokens: 30 },
    }),
    named({ type: 'message_stop' }),
  ];
}

function parts(list: readonly unknown[]): string {
  return event({ candidates: [{ content: { role: 'model', parts: list }, index: 0 }] });
}

function googleEvents({ text = [], calls = [], reasoning, finish = 'stop' }: WireReply): readonly string[] {
  const reasons = { stop: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' };
  return [
    ...(reasoning === undefined ? [] : [parts([{ text: reasoning, thought: true }])]),
    ...text.map((piece) => parts([{ text: piece }])),
    ...calls.map(({ tool, input }) =>
      parts([
        {
          functionCall: { name: tool, args: JSON.parse(input) as unknown },
          thoughtSignature: 'signed-thought',
        },
      ]),
    ),
    event({
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

export const wires: readonly Wire[] = [
  {
    name: 'openai',
    open: open('openai'),
    events: responsesEvents,
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
      const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat('test-model');
      return createAiSdkModel(model, { ...options, secrets: [key] });
    },
    events: chatEvents,
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
    open: open('openai-compatible'),
    events: chatEvents,
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
    open: open('anthropic'),
    events: anthropicEvents,
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
    open: open('google'),
    events: googleEvents,
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
