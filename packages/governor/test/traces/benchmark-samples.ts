import type { Json } from '../../src/index.ts';

/* The same small run as agents write it that were made for benchmarks, and as telemetry. Their only tool is a shell. */

export const sweAgentSample: Json = {
  environment: 'swe_main',
  trajectory: [
    {
      response: 'I shall look.\n```\ncurl wttr.in/Ghent\n```',
      thought: 'I shall look.',
      action: 'curl wttr.in/Ghent\n',
      observation: 'rain\n',
      state: { open_file: 'n/a', working_dir: '/' },
      execution_time: 0.2,
    },
    { response: 'It rains.', thought: 'It rains.', action: '', observation: 'Your command was empty.' },
  ],
  history: [{ role: 'system', content: 'You know the weather.', message_type: 'system_prompt' }],
  info: { exit_status: 'submitted (exit_cost)', submission: null, model_stats: { tokens_sent: 1200 } },
};

export const miniSweAgentSample: Json = {
  instance_id: 'weather__ghent-1',
  info: {
    exit_status: 'Submitted',
    submission: 'diff',
    model_stats: { instance_cost: 0.01, api_calls: 4 },
    config: { model: { model_name: 'model-a' } },
  },
  messages: [
    { role: 'system', content: 'You know the weather.' },
    { role: 'user', content: 'Is it raining in Ghent?' },
    { role: 'assistant', content: 'I shall look.\n\n```bash\ncurl wttr.in/Ghent\n```' },
    { role: 'user', content: '<returncode>0</returncode>\n<output>\nrain\n</output>' },
    { role: 'assistant', content: 'And again.\n\n```bash\ncurl wttr.in/Gent\n```' },
    { role: 'user', content: '<returncode>6</returncode>\n<output>\nno such city\n</output>' },
    { role: 'assistant', content: 'It rains.' },
    { role: 'user', content: 'Please always provide EXACTLY ONE action.' },
  ],
  trajectory_format: 'mini-swe-agent-1',
};

export const miniSweAgentCallsSample: Json = {
  info: { exit_status: 'Submitted', mini_version: '2.0.0' },
  messages: [
    { role: 'user', content: 'Is it raining in Ghent?' },
    {
      role: 'assistant',
      content: 'I shall look.',
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'bash', arguments: '{"command":"curl wttr.in/Ghent"}' },
        },
      ],
      extra: {
        response: { usage: { prompt_tokens: 100, completion_tokens: 40 } },
        timestamp: 1_772_359_200.5,
      },
    },
    { role: 'tool', tool_call_id: 'c1', content: 'rain', extra: { returncode: 0, raw_output: 'rain' } },
    { role: 'exit', content: 'done', extra: { exit_status: 'Submitted' } },
  ],
  trajectory_format: 'mini-swe-agent-1.1',
};

export const openhandsSample: Json = {
  instance_id: 'weather__ghent-1',
  test_result: { resolved: true },
  history: [
    { id: 0, source: 'agent', action: 'system', args: { content: 'You know the weather.' } },
    { id: 1, source: 'user', action: 'message', args: { content: 'Is it raining in Ghent?' } },
    {
      id: 2,
      source: 'agent',
      action: 'run',
      args: { command: 'curl wttr.in/Ghent', thought: 'I shall look.' },
    },
    {
      id: 3,
      source: 'agent',
      observation: 'run',
      cause: 2,
      content: 'rain',
      extras: { metadata: { exit_code: 0 } },
    },
    { id: 4, source: 'environment', observation: 'agent_state_changed', content: '', extras: {} },
    {
      id: 5,
      source: 'agent',
      action: 'run',
      args: { command: 'curl wttr.in/Gent', thought: '' },
      tool_call_metadata: { function_name: 'execute_bash', tool_call_id: 'c2' },
    },
    { id: 6, source: 'agent', observation: 'error', cause: 5, content: 'no such city', extras: {} },
    { id: 7, source: 'agent', action: 'message', args: { content: 'It rains.' } },
  ],
};

export const openhandsSdkSample: Json = [
  { id: 'e0', kind: 'SystemPromptEvent', source: 'agent', system_prompt: { text: 'You know the weather.' } },
  {
    id: 'e1',
    kind: 'MessageEvent',
    source: 'user',
    timestamp: '2026-03-01T10:00:00.250000',
    llm_message: { role: 'user', content: [{ type: 'text', text: 'Is it raining in Ghent?' }] },
  },
  {
    id: 'e2',
    kind: 'ActionEvent',
    source: 'agent',
    thought: [{ type: 'text', text: 'I shall look.' }],
    tool_name: 'weather',
    tool_call_id: 'c1',
    tool_call: { id: 'c1', name: 'weather', arguments: '{"city":"Ghent"}' },
    action: { kind: 'WeatherAction', city: 'Ghent' },
    llm_response_id: 'r1',
  },
  {
    id: 'e3',
    kind: 'ActionEvent',
    source: 'agent',
    thought: [],
    tool_name: 'weather',
    tool_call_id: 'c2',
    action: { kind: 'WeatherAction', city: 'Gent' },
    llm_response_id: 'r1',
  },
  {
    id: 'e4',
    kind: 'ObservationEvent',
    tool_name: 'weather',
    tool_call_id: 'c1',
    observation: { kind: 'WeatherObservation', content: [{ type: 'text', text: 'rain' }], is_error: false },
    action_id: 'e2',
  },
  { id: 'e5', kind: 'AgentErrorEvent', tool_name: 'weather', tool_call_id: 'c2', error: 'no such city' },
  { id: 'e6', kind: 'ConversationStateUpdateEvent', key: 'execution_status', value: 'idle' },
  {
    id: 'e7',
    kind: 'MessageEvent',
    source: 'agent',
    llm_message: { role: 'assistant', content: [{ type: 'text', text: 'It rains.' }] },
  },
];

const tauMessages: readonly Json[] = [
  { role: 'user', content: 'Is it raining in Ghent?' },
  {
    role: 'assistant',
    content: 'I shall look.',
    tool_calls: [
      { id: 'c1', name: 'weather', arguments: { city: 'Ghent' }, requestor: 'assistant' },
      { id: 'c2', name: 'weather', arguments: { city: 'Gent' }, requestor: 'assistant' },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 40 },
  },
  {
    role: 'tool',
    tool_messages: [
      { id: 'c1', role: 'tool', content: 'rain', requestor: 'assistant', error: false },
      { id: 'c2', role: 'tool', content: 'no such city', requestor: 'assistant', error: true },
    ],
  },
  { role: 'user', tool_calls: [{ id: 'c3', name: 'look_outside', arguments: {}, requestor: 'user' }] },
  { role: 'tool', id: 'c3', content: 'wet', requestor: 'user', error: false },
  { role: 'assistant', content: 'It rains.' },
];

export const tau2Sample: Json = {
  info: { agent_info: { llm: 'model-a' } },
  tasks: [],
  simulations: [
    {
      id: 's1',
      task_id: 'ghent',
      trial: 1,
      termination_reason: 'user_stop',
      reward_info: { reward: 1 },
      messages: tauMessages,
    },
  ],
};

export const tauSample: Json = [
  {
    task_id: 7,
    trial: 0,
    reward: 0,
    info: {},
    traj: [
      { role: 'user', content: 'Is it raining in Ghent?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Gent"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', name: 'weather', content: 'Error: no such city' },
    ],
  },
];

function createSpanAttributes(values: Readonly<Record<string, Json>>): Json {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}

function createSampleSpan(second: number, values: Readonly<Record<string, Json>>, code = 0): Json {
  return {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: String(second),
    startTimeUnixNano: String(BigInt(1_772_359_200 + second) * 1_000_000_000n),
    attributes: createSpanAttributes(values),
    status: { code },
  };
}

const userInput: Json = { role: 'user', parts: [{ type: 'text', content: 'Is it raining in Ghent?' }] };
const assistantCalls: Json = {
  role: 'assistant',
  parts: [
    { type: 'text', content: 'I shall look.' },
    { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Ghent' } },
    { type: 'tool_call', id: 'c2', name: 'weather', arguments: { city: 'Gent' } },
  ],
  finish_reason: 'tool_call',
};
const toolResponses: Json = {
  role: 'tool',
  parts: [
    { type: 'tool_call_response', id: 'c1', response: 'rain' },
    { type: 'tool_call_response', id: 'c2', response: 'no such city' },
  ],
};

function createSampleChatSpan(second: number, input: readonly Json[], output: Json): Json {
  return createSampleSpan(second, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'model-a',
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 40,
    'gen_ai.input.messages': JSON.stringify(input),
    'gen_ai.output.messages': JSON.stringify([output]),
  });
}

function createSampleToolSpan(second: number, id: string, code: number): Json {
  return createSampleSpan(
    second,
    { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather', 'gen_ai.tool.call.id': id },
    code,
  );
}

const assistantAnswer: Json = {
  role: 'assistant',
  parts: [{ type: 'text', content: 'It rains.' }],
  finish_reason: 'stop',
};

/** Written as they ended, not as they began; and a span of something else is among them. */
export const otlpSample: Json = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            createSampleToolSpan(2, 'c1', 1),
            createSampleToolSpan(3, 'c2', 2),
            createSampleChatSpan(1, [userInput], assistantCalls),
            createSampleSpan(0, { 'http.request.method': 'POST' }),
            createSampleChatSpan(4, [userInput, assistantCalls, toolResponses], assistantAnswer),
          ],
        },
      ],
    },
  ],
};

export const normalizedSample: Json = {
  id: 'run-1',
  source: 'weather',
  model: null,
  success: true,
  task: 'ghent',
  exit: 'done',
  steps: [
    { i: 0, role: 'user', text: 'Is it raining in Ghent?' },
    {
      i: 1,
      role: 'assistant',
      text: 'I shall look.',
      tool: 'weather',
      args: { city: 'Ghent' },
      argsHash: 'a1',
      result: 'rain',
      resultHash: 'b1',
      error: false,
      tokens: 12,
      inputTokens: 100,
      at: 1_772_359_200_000,
    },
    { i: 2, role: 'assistant', text: 'It rains.' },
  ],
};

const pawlEvents = [
  { type: 'user-message', at: 1_772_359_200_000, text: 'Is it raining in Ghent?' },
  {
    type: 'model-replied',
    at: 1_772_359_201_000,
    request: 1,
    text: 'I shall look.',
    calls: [{ tool: 'weather', args: { city: 'Ghent' } }],
    usage: { inputTokens: 100, outputTokens: 12 },
  },
  { type: 'tool-started', at: 1_772_359_201_500, request: 1, callId: 'call_1_0' },
  {
    type: 'tool-finished',
    at: 1_772_359_202_000,
    request: 1,
    callId: 'call_1_0',
    outcome: { ok: true, output: 'rain' },
  },
  { type: 'model-replied', at: 1_772_359_203_000, request: 4, text: 'It rains.', calls: [] },
].map((event, index) => ({ seq: index + 1, event, hash: 'c0ffee' }));

const pawlHead = {
  format: 'pawl-session',
  version: 1,
  id: 'run-1',
  about: { dir: '/tmp', model: 'some:model' },
};
const pawlTail = { head: 5, stateHash: 'c0ffee' };

export const pawlSample: Json = { ...pawlHead, events: pawlEvents, ...pawlTail };
export const pawlLinesSample: Json = [pawlHead, ...pawlEvents, pawlTail];
