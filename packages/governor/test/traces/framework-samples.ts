import type { Json } from '../../src/index.ts';

/* The run of `samples.ts`, as evaluations, agent frameworks and tracing tools record it. */

const question = 'Is it raining in Ghent?';

export const inspectAiSample: Json = {
  version: 2,
  status: 'success',
  eval: { task: 'weather', model: 'model-a', dataset: { name: 'cities' } },
  samples: [
    {
      id: 7,
      epoch: 1,
      input: question,
      target: 'rain',
      messages: [
        { id: 'm1', role: 'system', content: 'You know the weather.' },
        { id: 'm2', role: 'user', content: question, source: 'input' },
        {
          id: 'm3',
          role: 'assistant',
          source: 'generate',
          content: [
            { type: 'reasoning', reasoning: 'Let me see' },
            { type: 'text', text: 'I shall look.' },
          ],
          tool_calls: [
            { id: 'c1', function: 'weather', arguments: { city: 'Ghent' }, type: 'function' },
            { id: 'c2', function: 'weather', arguments: { city: 'Gent' }, type: 'function' },
          ],
        },
        { id: 'm4', role: 'tool', content: 'rain', tool_call_id: 'c1', function: 'weather' },
        {
          id: 'm5',
          role: 'tool',
          content: '',
          tool_call_id: 'c2',
          function: 'weather',
          error: { type: 'file_not_found', message: 'no such city' },
        },
        { id: 'm6', role: 'assistant', content: 'It rains.' },
      ],
      scores: { match: { value: 'C', answer: 'rain' } },
      model_usage: { 'model-a': { input_tokens: 300, output_tokens: 60, total_tokens: 360 } },
      events: [
        {
          event: 'model',
          timestamp: '2026-03-01T10:00:00+00:00',
          output: {
            choices: [{ message: { id: 'm3', role: 'assistant' } }],
            usage: { input_tokens: 20, output_tokens: 40, total_tokens: 160, input_tokens_cache_read: 100 },
          },
        },
      ],
    },
  ],
};

function createMoatlessAction(city: string, observation: Json): Json {
  const action = { thoughts: '', city, action_args_class: 'plugins.weather.WeatherArgs', name: 'weather' };
  return { action, observation };
}

export const moatlessSample: Json = {
  metadata: { instance_id: 'weather__ghent-1' },
  root: {
    node_id: 0,
    user_message: question,
    action_steps: [],
    children: [
      {
        node_id: 1,
        assistant_message: 'I shall look.',
        action_steps: [
          createMoatlessAction('Ghent', { message: 'rain', expect_correction: false }),
          createMoatlessAction('Gent', { message: 'no such city', expect_correction: true }),
        ],
        completions: {
          build_action: { model: 'model-a', usage: { prompt_tokens: 100, completion_tokens: 40 } },
        },
        children: [{ node_id: 2, assistant_message: 'It rains.', action_steps: [], children: [] }],
      },
    ],
  },
};

const calls: readonly Json[] = [
  { id: 'c1', name: 'weather', arguments: '{"city":"Ghent"}' },
  { id: 'c2', name: 'weather', arguments: '{"city":"Gent"}' },
];

const executions: readonly Json[] = [
  { call_id: 'c1', name: 'weather', content: 'rain', is_error: false },
  { call_id: 'c2', name: 'weather', content: 'no such city', is_error: true },
];

const usage: Json = { prompt_tokens: 100, completion_tokens: 40 };

/** The result of a task of AgentChat. */
export const autogenSample: Json = {
  messages: [
    { type: 'TextMessage', source: 'user', models_usage: null, content: question },
    { type: 'ThoughtEvent', source: 'assistant', models_usage: null, content: 'Let me see' },
    { type: 'TextMessage', source: 'assistant', models_usage: null, content: 'I shall look.' },
    { type: 'ToolCallRequestEvent', source: 'assistant', models_usage: usage, content: calls },
    { type: 'ToolCallExecutionEvent', source: 'assistant', models_usage: null, content: executions },
    { type: 'TextMessage', source: 'assistant', models_usage: null, content: 'It rains.' },
  ],
  stop_reason: 'Maximum number of messages 6 reached',
};

/** The context of a model in AutoGen. */
export const autogenContextSample: Json = [
  { type: 'SystemMessage', content: 'You know the weather.' },
  { type: 'UserMessage', source: 'user', content: question },
  { type: 'AssistantMessage', source: 'assistant', content: 'I shall look.', thought: 'Let me see' },
  { type: 'AssistantMessage', source: 'assistant', content: calls },
  { type: 'FunctionExecutionResultMessage', content: executions },
  { type: 'AssistantMessage', source: 'assistant', content: 'It rains.' },
];

/** The chat of AG2: the agent that began it wrote it, so the roles of the two are swapped. */
export const ag2Sample: Json = {
  chat_id: 12,
  chat_history: [
    { role: 'assistant', name: 'user_proxy', content: question },
    {
      role: 'assistant',
      name: 'assistant',
      content: 'I shall look.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ghent"}' } },
        { id: 'c2', type: 'function', function: { name: 'weather', arguments: '{"city":"Gent"}' } },
      ],
    },
    {
      role: 'tool',
      name: 'user_proxy',
      content: 'rain\n\nno such city',
      tool_responses: [
        { tool_call_id: 'c1', role: 'tool', content: 'rain' },
        { tool_call_id: 'c2', role: 'tool', content: 'no such city' },
      ],
    },
    { role: 'user', name: 'assistant', content: 'It rains.' },
  ],
};

const openInferenceCall = (id: string, city: string): Json => ({
  tool_call: { id, function: { name: 'weather', arguments: JSON.stringify({ city }) } },
});

const openInferenceMessages: readonly Json[] = [
  { message: { role: 'system', content: 'You know the weather.' } },
  { message: { role: 'user', content: question } },
];

const firstReply: Json = {
  message: {
    role: 'assistant',
    content: 'I shall look.',
    tool_calls: [openInferenceCall('c1', 'Ghent'), openInferenceCall('c2', 'Gent')],
  },
};

function createPhoenixSpan(second: number, kind: string, attributes: Json, status = 'OK'): Json {
  return {
    name: kind === 'TOOL' ? 'weather' : 'Model.generate',
    context: { trace_id: 'trace-1', span_id: `s${second}` },
    parent_id: 's0',
    span_kind: kind,
    start_time: `2026-03-01T10:00:0${second}.000000+00:00`,
    status_code: status,
    attributes,
  };
}

/** Spans that Phoenix exports, of an agent of smolagents. */
export const openInferenceSample: Json = [
  createPhoenixSpan(0, 'AGENT', { openinference: { span: { kind: 'AGENT' } }, input: { value: question } }),
  createPhoenixSpan(1, 'LLM', {
    openinference: { span: { kind: 'LLM' } },
    llm: {
      model_name: 'model-a',
      token_count: { prompt: 100, completion: 40, total: 140 },
      input_messages: openInferenceMessages,
      output_messages: [firstReply],
    },
  }),
  createPhoenixSpan(2, 'TOOL', {
    openinference: { span: { kind: 'TOOL' } },
    tool: { name: 'weather' },
    input: { value: '{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"city": "Ghent"}}' },
    output: { value: 'rain' },
  }),
  createPhoenixSpan(
    3,
    'TOOL',
    {
      openinference: { span: { kind: 'TOOL' } },
      tool: { name: 'weather' },
      input: { value: '{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"city": "Gent"}}' },
      output: { value: 'no such city' },
    },
    'ERROR',
  ),
  createPhoenixSpan(4, 'LLM', {
    openinference: { span: { kind: 'LLM' } },
    llm: {
      input_messages: openInferenceMessages,
      output_messages: [{ message: { role: 'assistant', content: 'It rains.' } }],
    },
  }),
];

/** The same attributes with dotted names, as the exporters of OpenTelemetry write them, in a tree of spans. */
export const openInferenceTreeSample: Json = {
  trace_id: 'trace-1',
  spans: [
    {
      span_id: 's0',
      trace_id: 'trace-1',
      span_name: 'agent',
      timestamp: '2026-03-01T10:00:00Z',
      span_attributes: { 'openinference.span.kind': 'AGENT' },
      child_spans: [
        {
          span_id: 's1',
          trace_id: 'trace-1',
          timestamp: '2026-03-01T10:00:01Z',
          span_attributes: {
            'openinference.span.kind': 'LLM',
            'llm.model_name': 'model-a',
            'llm.token_count.prompt': 100,
            'llm.token_count.completion': 40,
            'llm.input_messages.0.message.role': 'user',
            'llm.input_messages.0.message.content': question,
            'llm.output_messages.0.message.role': 'assistant',
            'llm.output_messages.0.message.content': 'I shall look.',
            'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c1',
            'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'weather',
            'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"city":"Ghent"}',
            'llm.output_messages.0.message.tool_calls.1.tool_call.id': 'c2',
            'llm.output_messages.0.message.tool_calls.1.tool_call.function.name': 'weather',
            'llm.output_messages.0.message.tool_calls.1.tool_call.function.arguments': '{"city":"Gent"}',
          },
        },
        {
          span_id: 's2',
          trace_id: 'trace-1',
          span_name: 'weather',
          timestamp: '2026-03-01T10:00:02Z',
          span_attributes: {
            'openinference.span.kind': 'TOOL',
            'input.value': '{"city":"Ghent"}',
            'output.value': 'rain',
          },
        },
        {
          span_id: 's3',
          trace_id: 'trace-1',
          span_name: 'weather',
          timestamp: '2026-03-01T10:00:03Z',
          status_code: 'Error',
          span_attributes: {
            'openinference.span.kind': 'TOOL',
            'input.value': '{"city":"Gent"}',
            'output.value': 'no such city',
          },
        },
        {
          span_id: 's4',
          trace_id: 'trace-1',
          timestamp: '2026-03-01T10:00:04Z',
          span_attributes: { 'openinference.span.kind': 'LLM', 'output.value': 'It rains.' },
        },
      ],
    },
  ],
};
