import type { Json } from '../../src/index.ts';

/* The run of `samples.ts`, as studies of agents record it. */

const question = 'Is it raining in Ghent?';

function createCochiseLine(agent: string, content: Json): Json {
  return {
    source: 'agent',
    content,
    agent,
    event: 'history_append',
    timestamp: '2026-03-01T10:00:00.000000Z',
  };
}

export const cochiseSample: Json = [
  { agent: 'main', event: 'starting weather', level: 'info' },
  { agent: 'main', model: 'model-a', event: 'configuration' },
  createCochiseLine('main', { role: 'system', content: 'You know the weather.' }),
  createCochiseLine('main', { role: 'user', content: question }),
  { name: 'planner', costs: { completion_tokens: 40, prompt_tokens: 100 }, agent: 'main', event: 'llm_call' },
  createCochiseLine('main', {
    role: 'assistant',
    content: 'I shall look.',
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ghent"}' } },
      { id: 'c2', type: 'function', function: { name: 'weather', arguments: '{"city":"Gent"}' } },
    ],
  }),
  { tool_name: 'weather', tool_call_id: 'c1', params: { city: 'Ghent' }, agent: 'main', event: 'tool_call' },
  createCochiseLine('main', { role: 'tool', tool_call_id: 'c1', name: 'weather', content: 'rain' }),
  createCochiseLine('main', { role: 'tool', tool_call_id: 'c2', name: 'weather', content: 'no such city' }),
  createCochiseLine('main', { role: 'assistant', content: 'It rains.' }),
];

export const codeRepairLabSample: Json = {
  task_id: 'cr-1',
  condition_id: 'model-a',
  run_index: 2,
  trajectory: {
    turns: [
      { type: 'message', role: 'system', content: 'You know the weather.' },
      { type: 'message', role: 'user', content: question },
      {
        type: 'tool_call',
        content: 'I shall look.',
        tool_calls: [
          { call_id: 'c1', name: 'weather', arguments: { city: 'Ghent' } },
          { call_id: 'c2', name: 'weather', arguments: { city: 'Gent' } },
        ],
      },
      { type: 'tool_result', call_id: 'c1', outcome: { type: 'success', result: 'rain' } },
      { type: 'tool_result', call_id: 'c2', outcome: { type: 'error', message: 'no such city' } },
      { type: 'message', role: 'assistant', content: 'It rains.' },
    ],
    usage: { prompt_tokens: 200, completion_tokens: 60 },
    stop_reason: 'completed',
  },
  grade: { passed: true },
};

function createSentinelEvent(city: string, result: string, isError: boolean): Json {
  return { id: '', name: 'weather', args: { city }, result, is_error: isError };
}

export const sentinelSample: Json = [
  {
    text: '[weather({"city": "Ghent"}) -> rain]',
    action: 'tool_call',
    output_tokens: 40,
    task: question,
    tool_events: [
      createSentinelEvent('Ghent', 'rain', false),
      createSentinelEvent('Gent', 'no such city', true),
    ],
  },
  { text: 'It rains.', action: 'synthesis', output_tokens: 5, task: question, tool_events: [] },
];

export const mintSample: Json = {
  state: {
    history: [
      { role: 'user', content: question },
      { role: 'assistant', content: 'I shall look.\n<execute>\nweather("Ghent")\n</execute>' },
      { role: 'user', content: 'Observation:\nrain' },
      { role: 'assistant', content: 'I think so.' },
      { role: 'user', content: 'Observation:\nI do not understand your input.' },
      { role: 'assistant', content: '<solution> yes </solution>' },
      { role: 'user', content: 'Your answer is wrong.' },
    ],
    success: false,
    terminate_reason: 'max_steps',
    token_counter: { prompt_tokens: 300, completion_tokens: 60 },
  },
  task: { task_id: 7 },
};
