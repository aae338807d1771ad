import type { Json } from '../../src/index.ts';

/*
 * One small run in each format: someone asks for the weather, the model looks it up twice (the second time in vain) and
 * answers. What the formats have in common is the same in all of them, so that the runs read from them can be compared.
 */

const sampleTimestamp = '2026-03-01T10:00:00Z';

export const openaiChatSample: Json = {
  id: 'chat-1',
  model: 'model-a',
  messages: [
    { role: 'system', content: 'You know the weather.' },
    { role: 'user', content: 'Is it raining in Ghent?' },
    {
      role: 'assistant',
      content: 'I shall look.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ghent"}' } },
        { id: 'c2', type: 'function', function: { name: 'weather', arguments: '{"city":"Gent"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    { role: 'tool', tool_call_id: 'c2', content: 'no such city' },
    { role: 'assistant', content: 'It rains.' },
  ],
};

export const openaiResponsesSample: Json = {
  id: 'resp-1',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Is it raining in Ghent?' }] },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me see' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I shall look.' }] },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Ghent"}' },
    { type: 'function_call', call_id: 'c2', name: 'weather', arguments: '{"city":"Gent"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'rain' },
    { type: 'function_call_output', call_id: 'c2', output: 'no such city' },
  ],
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It rains.' }] }],
};

const anthropicMessages: readonly Json[] = [
  { role: 'user', content: 'Is it raining in Ghent?' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Let me see', signature: 'x' },
      { type: 'text', text: 'I shall look.' },
      { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Ghent' } },
      { type: 'tool_use', id: 'c2', name: 'weather', input: { city: 'Gent' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'rain' }] },
      { type: 'tool_result', tool_use_id: 'c2', content: 'no such city', is_error: true },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'It rains.' }] },
];

export const anthropicSample: Json = { model: 'model-a', messages: anthropicMessages };

export const aiSdkSample: Json = [
  { role: 'user', content: [{ type: 'text', text: 'Is it raining in Ghent?' }] },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Let me see' },
      { type: 'text', text: 'I shall look.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Ghent' } },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'weather', input: { city: 'Gent' } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output: { type: 'text', value: 'rain' } },
      {
        type: 'tool-result',
        toolCallId: 'c2',
        toolName: 'weather',
        output: { type: 'error-text', value: 'no such city' },
      },
    ],
  },
  { role: 'assistant', content: 'It rains.' },
];

export const aiSdkPageSample: Json = [
  { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Is it raining in Ghent?' }] },
  {
    id: 'm2',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'text', text: 'I shall look.' },
      {
        type: 'tool-weather',
        toolCallId: 'c1',
        state: 'output-available',
        input: { city: 'Ghent' },
        output: 'rain',
      },
      {
        type: 'dynamic-tool',
        toolName: 'weather',
        toolCallId: 'c2',
        state: 'output-error',
        input: { city: 'Gent' },
        errorText: 'no such city',
      },
      { type: 'step-start' },
      { type: 'text', text: 'It rains.' },
    ],
  },
];

const langchainCalls: Json = [
  { name: 'weather', args: { city: 'Ghent' }, id: 'c1', type: 'tool_call' },
  { name: 'weather', args: { city: 'Gent' }, id: 'c2', type: 'tool_call' },
];

function createLangchainMessage(name: string, kwargs: Json): Json {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs };
}

export const langchainSample: Json = {
  messages: [
    createLangchainMessage('SystemMessage', { content: 'You know the weather.' }),
    createLangchainMessage('HumanMessage', { content: 'Is it raining in Ghent?' }),
    createLangchainMessage('AIMessage', { content: 'I shall look.', tool_calls: langchainCalls }),
    createLangchainMessage('ToolMessage', { content: 'rain', tool_call_id: 'c1', status: 'success' }),
    createLangchainMessage('ToolMessage', { content: 'no such city', tool_call_id: 'c2', status: 'error' }),
    createLangchainMessage('AIMessageChunk', { content: [{ type: 'text', text: 'It rains.' }] }),
  ],
};

export const langchainDictSample: Json = [
  { type: 'human', content: 'Is it raining in Ghent?' },
  { type: 'ai', data: { content: 'I shall look.', tool_calls: langchainCalls } },
  { type: 'tool', content: 'rain', tool_call_id: 'c1', status: 'success' },
  { type: 'tool', content: 'no such city', tool_call_id: 'c2', status: 'error' },
  { type: 'ai', content: 'It rains.' },
];

function createSampleClaudeLine(uuid: string, type: string, message: Json): Json {
  return { type, uuid, sessionId: 'session-1', timestamp: sampleTimestamp, isSidechain: false, message };
}

/** A reply comes in pieces of one block each. */
export const claudeCodeSample: Json = [
  { type: 'summary', summary: 'The weather', leafUuid: 'u9' },
  createSampleClaudeLine('u1', 'user', { role: 'user', content: 'Is it raining in Ghent?' }),
  createSampleClaudeLine('u2', 'assistant', {
    id: 'msg_1',
    role: 'assistant',
    model: 'model-a',
    content: [{ type: 'text', text: 'I shall look.' }],
    usage: { input_tokens: 100, output_tokens: 2 },
  }),
  createSampleClaudeLine('u3', 'assistant', {
    id: 'msg_1',
    role: 'assistant',
    model: 'model-a',
    content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Ghent' } }],
    usage: { input_tokens: 100, output_tokens: 40 },
  }),
  createSampleClaudeLine('u4', 'user', {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'rain' }],
  }),
  createSampleClaudeLine('u5', 'assistant', {
    id: 'msg_1',
    role: 'assistant',
    model: 'model-a',
    content: [{ type: 'tool_use', id: 'c2', name: 'weather', input: { city: 'Gent' } }],
    usage: { input_tokens: 100, output_tokens: 40 },
  }),
  createSampleClaudeLine('u6', 'user', {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c2', content: 'no such city', is_error: true }],
  }),
  createSampleClaudeLine('u7', 'assistant', {
    id: 'msg_2',
    role: 'assistant',
    model: 'model-a',
    content: [{ type: 'text', text: 'It rains.' }],
    usage: { input_tokens: 160, output_tokens: 5 },
  }),
];

function createCodexLine(type: string, payload: Json): Json {
  return { timestamp: sampleTimestamp, type, payload };
}

export const codexSample: Json = [
  createCodexLine('session_meta', { id: 'rollout-1', cwd: '/project', cli_version: '0.65.0' }),
  createCodexLine('turn_context', { model: 'model-a' }),
  createCodexLine('response_item', {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'Is it raining in Ghent?' }],
  }),
  createCodexLine('event_msg', { type: 'user_message', message: 'Is it raining in Ghent?' }),
  createCodexLine('response_item', { type: 'reasoning', summary: [], encrypted_content: 'xxxx' }),
  createCodexLine('response_item', {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'I shall look.' }],
  }),
  createCodexLine('response_item', {
    type: 'function_call',
    name: 'weather',
    arguments: '{"city":"Ghent"}',
    call_id: 'c1',
  }),
  createCodexLine('response_item', {
    type: 'function_call',
    name: 'weather',
    arguments: '{"city":"Gent"}',
    call_id: 'c2',
  }),
  createCodexLine('event_msg', {
    type: 'token_count',
    info: { last_token_usage: { input_tokens: 100, output_tokens: 40 } },
  }),
  createCodexLine('response_item', {
    type: 'function_call_output',
    call_id: 'c1',
    output: '{"output":"rain","metadata":{"exit_code":0,"duration_seconds":0.3}}',
  }),
  createCodexLine('response_item', {
    type: 'function_call_output',
    call_id: 'c2',
    output: 'Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno such city',
  }),
  createCodexLine('response_item', {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'It rains.' }],
  }),
];
