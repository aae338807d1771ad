import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { aiSdkFormat } from '../../src/traces/ai-sdk.ts';
import { anthropicFormat } from '../../src/traces/anthropic.ts';
import { langchainFormat } from '../../src/traces/langchain.ts';
import { omitCostAndTime, listCallOutcomes, listTraceProblems, parseSingleRun } from './parse-single-run.ts';

describe('Anthropic messages', () => {
  it('count thoughts as output without showing them', () => {
    const content = [
      { type: 'thinking', thinking: 'x'.repeat(400) },
      { type: 'text', text: 'done' },
    ];
    expect(parseSingleRun(anthropicFormat, [{ role: 'assistant', content }]).steps).toEqual([
      { i: 0, role: 'assistant', text: 'done', tokens: 101 },
    ]);
  });

  it('hold tools of the server with their results in the same message', () => {
    const run = parseSingleRun(anthropicFormat, [
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'rain' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 's1',
            content: { type: 'web_search_tool_result_error' },
          },
        ],
      },
    ]);
    expect(listCallOutcomes(run)).toEqual([['web_search', { type: 'web_search_tool_result_error' }, true]]);
  });

  it('keep user text next to a result, and show an image as a placeholder', () => {
    const content = [
      {
        type: 'tool_result',
        tool_use_id: 'c1',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', source: {} },
        ],
      },
      { type: 'text', text: 'and now?' },
    ];
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
      { role: 'user', content },
    ];
    expect(omitCostAndTime(parseSingleRun(anthropicFormat, messages).steps)).toEqual([
      { i: 0, role: 'assistant', tool: 'look', args: {}, result: 'a\n[image]' },
      { i: 1, role: 'user', text: 'and now?' },
    ]);
  });

  it('report a message without a role', () => {
    const messages = [
      { role: 'assistant', content: [{ type: 'thinking' }, { type: 'text', text: 'a' }] },
      {},
    ];
    expect(listTraceProblems(anthropicFormat, { messages })).toEqual([
      'messages[1]: a message without a role',
    ]);
  });
});

function createSdkCall(id: string): Json {
  return { type: 'tool-call', toolCallId: id, toolName: 'look', input: {} };
}

function createSdkToolResult(id: string, output: Json): Json {
  return { type: 'tool-result', toolCallId: id, toolName: 'look', output };
}

describe('AI SDK messages', () => {
  it('recognize errors and denials by the output type', () => {
    const outputs = [
      { type: 'json', value: { a: 1 } },
      { type: 'error-json', value: { b: 2 } },
      { type: 'execution-denied', reason: 'not now' },
      { type: 'content', value: [{ type: 'text', text: 'c' }] },
    ];
    const messages = [
      { role: 'assistant', content: outputs.map((_, index) => createSdkCall(`c${index}`)) },
      { role: 'tool', content: outputs.map((output, index) => createSdkToolResult(`c${index}`, output)) },
    ];
    expect(listCallOutcomes(parseSingleRun(aiSdkFormat, messages))).toEqual([
      ['look', { a: 1 }, false],
      ['look', { b: 2 }, true],
      ['look', 'not now', true],
      ['look', 'c', false],
    ]);
  });

  it('of version 4 have args, results and a flag', () => {
    const messages = [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', args: { a: 1 } }],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', result: 'no', isError: true }] },
      {
        role: 'assistant',
        parts: [
          {
            type: 'tool-invocation',
            toolInvocation: { state: 'result', toolCallId: 'c2', toolName: 'look', args: {}, result: 'yes' },
          },
        ],
      },
    ];
    expect(listCallOutcomes(parseSingleRun(aiSdkFormat, messages))).toEqual([
      ['look', 'no', true],
      ['look', 'yes', false],
    ]);
  });

  it('may hold the error of a tool among the model’s own parts', () => {
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} },
          { type: 'tool-error', toolCallId: 'c1', toolName: 'look', error: 'broken' },
        ],
      },
    ];
    expect(listCallOutcomes(parseSingleRun(aiSdkFormat, messages))).toEqual([['look', 'broken', true]]);
  });

  it('leave a pending call open', () => {
    const parts = [{ type: 'tool-look', toolCallId: 'c1', state: 'input-available', input: { a: 1 } }];
    expect(omitCostAndTime(parseSingleRun(aiSdkFormat, [{ role: 'assistant', parts }]).steps)).toEqual([
      { i: 0, role: 'assistant', tool: 'look', args: { a: 1 } },
    ]);
  });

  it('keep their cost and time', () => {
    const metadata = { createdAt: '2026-03-01T10:00:00Z', usage: { inputTokens: 30, outputTokens: 3 } };
    const parts = [{ type: 'text', text: 'done' }];
    expect(parseSingleRun(aiSdkFormat, [{ role: 'assistant', parts, metadata }]).steps).toEqual([
      { i: 0, role: 'assistant', text: 'done', tokens: 3, inputTokens: 30, at: 1_772_359_200_000 },
    ]);
  });
});

describe('LangChain messages', () => {
  it('keep calls whose arguments were broken', () => {
    const invalid = [{ name: 'look', args: '{"a":', id: 'c1', error: 'no JSON' }];
    const run = parseSingleRun(langchainFormat, [
      { type: 'ai', content: '', tool_calls: [], invalid_tool_calls: invalid },
    ]);
    expect(omitCostAndTime(run.steps)).toEqual([{ i: 0, role: 'assistant', tool: 'look', args: '{"a":' }]);
  });

  it('use the provider’s own calls only if there are no others', () => {
    const own = [{ id: 'c1', function: { name: 'look', arguments: '{}' } }];
    const calls = [{ name: 'see', args: {}, id: 'c1' }];
    const only = { type: 'ai', content: '', additional_kwargs: { tool_calls: own } };
    const both = { ...only, tool_calls: calls };
    expect(
      listCallOutcomes(parseSingleRun(langchainFormat, [only, both])).map((outcome) => Object(outcome)[0]),
    ).toEqual(['look', 'see']);
  });

  it('do not read calls out of the content a second time', () => {
    const content = [
      { type: 'text', text: 'I look' },
      { type: 'tool_use', id: 'c1', name: 'look', input: {} },
    ];
    const calls = [{ name: 'look', args: {}, id: 'c1' }];
    expect(
      omitCostAndTime(parseSingleRun(langchainFormat, [{ type: 'ai', content, tool_calls: calls }]).steps),
    ).toEqual([{ i: 0, role: 'assistant', text: 'I look', tool: 'look', args: {} }]);
  });

  it('have their cost', () => {
    const usage_metadata = { input_tokens: 30, output_tokens: 3, total_tokens: 33 };
    const [step] = parseSingleRun(langchainFormat, [{ type: 'ai', content: 'done', usage_metadata }]).steps;
    expect(step).toMatchObject({ tokens: 3, inputTokens: 30 });
  });

  it('are found in the state of a graph and in a batch of one', () => {
    const messages = [{ type: 'human', content: 'Hello' }];
    for (const document of [{ values: { messages } }, { outputs: { messages } }, { messages: [messages] }]) {
      expect(langchainFormat.matches(document)).toBe(true);
      expect(parseSingleRun(langchainFormat, document).steps).toHaveLength(1);
    }
  });

  it('report invalid messages', () => {
    const messages = [{ type: 'ai', content: 'a' }, { type: 'constructor', lc: 1, id: ['x', 'Tool'] }, null];
    expect(listTraceProblems(langchainFormat, { messages })).toEqual([
      'messages[1]: a message of an unknown type',
      'messages[2]: expected a message, got null',
    ]);
  });
});
