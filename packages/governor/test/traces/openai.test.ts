import { describe, expect, it } from 'vitest';
import { openaiChatFormat } from '../../src/traces/openai-chat.ts';
import { openaiResponsesFormat } from '../../src/traces/openai-responses.ts';
import { omitCostAndTime, listCallOutcomes, listTraceProblems, parseSingleRun } from './parse-single-run.ts';
import { openaiChatSample, openaiResponsesSample } from './samples.ts';

describe('OpenAI chat messages', () => {
  it('give the run its id and its model', () => {
    expect(parseSingleRun(openaiChatFormat, openaiChatSample)).toMatchObject({
      id: 'chat-1',
      model: 'model-a',
    });
  });

  it('use the given name without an id', () => {
    expect(parseSingleRun(openaiChatFormat, [{ role: 'user', content: 'Hello' }]).id).toBe('name');
  });

  it('of the first version call one function, and its result has only a name', () => {
    const run = parseSingleRun(openaiChatFormat, [
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'one' },
    ]);
    expect(omitCostAndTime(run.steps)).toEqual([
      { i: 0, role: 'assistant', tool: 'f', args: { a: 1 }, result: 'one' },
    ]);
  });

  it('may call custom tools, whose input is text', () => {
    const custom = { id: 'c1', type: 'custom', custom: { name: 'patch', input: '*** Begin' } };
    const [step] = parseSingleRun(openaiChatFormat, [{ role: 'assistant', tool_calls: [custom] }]).steps;
    expect(step).toMatchObject({ tool: 'patch', args: '*** Begin' });
  });

  it('keep invalid JSON arguments as text', () => {
    const call = { id: 'c1', function: { name: 'f', arguments: '{"a":' } };
    expect(parseSingleRun(openaiChatFormat, [{ role: 'assistant', tool_calls: [call] }]).steps[0]?.args).toBe(
      '{"a":',
    );
  });

  it('may be serialized as text, as in some datasets', () => {
    const messages = JSON.stringify([{ role: 'user', content: 'Hello' }]);
    expect(openaiChatFormat.matches({ messages })).toBe(true);
    expect(parseSingleRun(openaiChatFormat, { messages }).steps).toHaveLength(1);
  });

  it('use the token counts of the provider, and otherwise a quarter of the characters', () => {
    const usage = { prompt_tokens: 90, completion_tokens: 7 };
    const { steps } = parseSingleRun(openaiChatFormat, [
      { role: 'assistant', content: 'counted', usage },
      { role: 'assistant', content: 'twelve chars', reasoning_content: 'and eight' },
    ]);
    expect(steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [7, 90],
      [5, undefined],
    ]);
  });

  it('keep an empty reply as a step', () => {
    expect(
      omitCostAndTime(parseSingleRun(openaiChatFormat, [{ role: 'assistant', content: null }]).steps),
    ).toEqual([{ i: 0, role: 'assistant', text: '' }]);
  });

  it('state whether the task was solved if a benchmark says so', () => {
    const messages = [{ role: 'user', content: 'Hello' }];
    expect(parseSingleRun(openaiChatFormat, { messages, resolved: false }).success).toBe(false);
    expect(parseSingleRun(openaiChatFormat, { messages, reward: 1 }).success).toBe(true);
    expect(parseSingleRun(openaiChatFormat, { messages })).not.toHaveProperty('success');
  });

  it('report invalid parts and use the rest', () => {
    const messages = [
      'hello',
      { role: 'robot', content: 'x' },
      { content: 'x' },
      { role: 'assistant', content: 'so', tool_calls: [{ id: 'c1' }, 7] },
      { role: 'tool', tool_call_id: 'c9', content: 'x' },
    ];
    expect(listTraceProblems(openaiChatFormat, { messages })).toEqual([
      'messages[0]: expected a message, got a string',
      'messages[1]: a message of the unknown role robot',
      'messages[2]: a message without a role',
      'messages[3].tool_calls[0]: a call without the name of a tool',
      'messages[3].tool_calls[1]: a call without the name of a tool',
      'messages[4]: a result for the call c9, which is not there',
    ]);
    expect(openaiChatFormat.parse({ messages }, 'name').runs[0]?.steps).toHaveLength(1);
  });
});

describe('OpenAI Responses items', () => {
  it('count the cost of the whole response', () => {
    const usage = { input_tokens: 50, output_tokens: 20 };
    const document = { ...Object(openaiResponsesSample), usage };
    const { steps } = parseSingleRun(openaiResponsesFormat, document);
    expect(steps.map(({ tokens }) => tokens)).toEqual([undefined, 20, 0, 0]);
    expect(steps[1]?.inputTokens).toBe(50);
  });

  it('begin with a question that is plain text', () => {
    const document = {
      input: 'Hello',
      output: [
        { type: 'reasoning', summary: [] },
        { type: 'message', role: 'assistant', content: 'Hi' },
      ],
    };
    expect(parseSingleRun(openaiResponsesFormat, document).steps.map(({ text }) => text)).toEqual([
      'Hello',
      'Hi',
    ]);
  });

  it('hold calls that the provider executes, with their status', () => {
    const run = parseSingleRun(openaiResponsesFormat, [
      { type: 'web_search_call', id: 'w1', status: 'completed', action: { query: 'rain' } },
      { type: 'mcp_call', id: 'm1', name: 'look', arguments: '{}', output: null, error: 'unreachable' },
    ]);
    expect(listCallOutcomes(run)).toEqual([
      ['web_search', undefined, undefined],
      ['look', 'unreachable', true],
    ]);
    expect(run.steps[0]?.args).toEqual({ query: 'rain' });
  });

  it('of the Agents SDK spell ids and results differently', () => {
    const run = parseSingleRun(openaiResponsesFormat, [
      { type: 'function_call', callId: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_result', callId: 'c1', output: { type: 'text', text: 'one' } },
    ]);
    expect(listCallOutcomes(run)).toEqual([['f', 'one', undefined]]);
  });

  it('mark outputs that report a failure', () => {
    const run = parseSingleRun(openaiResponsesFormat, [
      { type: 'local_shell_call', call_id: 'c1', action: { type: 'exec', command: ['ls'] } },
      { type: 'local_shell_call_output', call_id: 'c1', output: { content: 'no', success: false } },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'x', status: 'incomplete' },
    ]);
    expect(listCallOutcomes(run)).toEqual([
      ['local_shell', 'no', true],
      ['patch', 'x', true],
    ]);
  });

  it('report invalid parts', () => {
    expect(
      listTraceProblems(openaiResponsesFormat, [
        { type: 'reasoning' },
        1,
        {},
        { type: 'message', role: 'robot' },
      ]),
    ).toEqual([
      '[1]: expected an item, got a number',
      '[2]: an item without a type',
      '[3]: a message of the unknown role robot',
      'no step in the run name',
    ]);
  });
});
