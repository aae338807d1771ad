import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { claudeCodeFormat } from '../../src/traces/claude-code.ts';
import { codexFormat } from '../../src/traces/codex.ts';
import {
  omitCostAndTime,
  listCallOutcomes,
  listTraceProblems,
  parseSingleRun,
  readCallResults,
} from './parse-single-run.ts';
import { claudeCodeSample, codexSample } from './samples.ts';

function createAssistantText(text: string): Json {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

function createClaudeLine(uuid: string, more: object, text: string): Json {
  return { type: 'assistant', uuid, sessionId: 's', message: createAssistantText(text), ...more };
}

function createCodexItem(payload: object): Json {
  return { timestamp: '2026-03-01T10:00:00Z', type: 'response_item', payload: { ...payload } };
}

function createCodexEvent(payload: object): Json {
  return { type: 'event_msg', payload: { ...payload } };
}

function createTokenCount(info: object): Json {
  return createCodexEvent({ type: 'token_count', info: { ...info } });
}

function createCodexCall(id: string): Json {
  return createCodexItem({ type: 'function_call', name: 'shell', arguments: '{}', call_id: id });
}

function createCodexOutput(id: string, text: string): Json {
  return createCodexItem({ type: 'function_call_output', call_id: id, output: text });
}

describe('a session of Claude Code', () => {
  it('has the id and the model that its lines name', () => {
    expect(parseSingleRun(claudeCodeFormat, claudeCodeSample)).toMatchObject({
      id: 'session-1',
      model: 'model-a',
    });
  });

  it('counts the cost of a reply once, however many lines it has', () => {
    const { steps } = parseSingleRun(claudeCodeFormat, claudeCodeSample);
    expect(steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [undefined, undefined],
      [40, 100],
      [0, undefined],
      [5, 160],
    ]);
    expect(steps[1]?.at).toBe(1_772_359_200_000);
  });

  it('counts cached input, which the provider counts apart', () => {
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: 400,
      cache_read_input_tokens: 15_000,
      output_tokens: 20,
    };
    const message = { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'done' }], usage };
    const lines = [{ type: 'assistant', uuid: 'a', sessionId: 's', message }];
    expect(parseSingleRun(claudeCodeFormat, lines).steps).toMatchObject([
      { tokens: 20, inputTokens: 15_403 },
    ]);
  });

  it('ignores a duplicate line', () => {
    const lines = claudeCodeSample as readonly Json[];
    expect(parseSingleRun(claudeCodeFormat, [...lines, ...lines]).steps).toHaveLength(4);
  });

  it('excludes messages that the program itself inserted', () => {
    const lines = [
      { type: 'user', uuid: 'a', isMeta: true, sessionId: 's', message: { role: 'user', content: 'caveat' } },
      { type: 'system', uuid: 'b', sessionId: 's', content: 'compacted' },
      { type: 'assistant', uuid: 'c', sessionId: 's', message: createAssistantText('done') },
    ];
    expect(omitCostAndTime(parseSingleRun(claudeCodeFormat, lines).steps)).toEqual([
      { i: 0, role: 'assistant', text: 'done' },
    ]);
  });

  it('has its sub-agents as runs of their own', () => {
    const { runs, problems } = claudeCodeFormat.parse(
      [
        createClaudeLine('a', {}, 'main'),
        createClaudeLine('b', { isSidechain: true, parentUuid: null }, 'first'),
        createClaudeLine('c', { isSidechain: true, parentUuid: null }, 'second'),
        createClaudeLine('d', { isSidechain: true, parentUuid: 'b' }, 'first again'),
        createClaudeLine('e', { isSidechain: true, agentId: 'named' }, 'named'),
        createClaudeLine('f', { parent_tool_use_id: 'toolu_1' }, 'streamed'),
      ],
      'name',
    );
    expect(problems).toEqual([]);
    expect(runs.map(({ id, steps }) => [id, steps.map(({ text }) => text)])).toEqual([
      ['s', ['main']],
      ['s/b', ['first', 'first again']],
      ['s/c', ['second']],
      ['s/named', ['named']],
      ['s/toolu_1', ['streamed']],
    ]);
  });

  it('is read from a stream of JSON too, which says how it ended', () => {
    const lines = [
      { type: 'system', subtype: 'init', session_id: 's' },
      { type: 'assistant', session_id: 's', message: createAssistantText('done') },
      { type: 'result', subtype: 'error_max_turns', session_id: 's' },
    ];
    expect(claudeCodeFormat.matches(lines)).toBe(true);
    expect(claudeCodeFormat.parse(lines, 'name').runs).toMatchObject([{ id: 's', exit: 'error_max_turns' }]);
  });

  it('reports invalid lines', () => {
    const lines = [
      { type: 'assistant', uuid: 'a', sessionId: 's', message: createAssistantText('done') },
      'x',
      { type: 'user', message: 1 },
    ];
    expect(listTraceProblems(claudeCodeFormat, lines)).toEqual([
      '[1]: expected an object, got a string',
      '[2]: expected a message, got a number',
    ]);
  });
});

describe('a rollout of Codex', () => {
  it('has the id and the model that its lines name', () => {
    expect(parseSingleRun(codexFormat, codexSample)).toMatchObject({ id: 'rollout-1', model: 'model-a' });
  });

  it('uses reported token counts, and otherwise a quarter of the characters', () => {
    const { steps } = parseSingleRun(codexFormat, codexSample);
    expect(steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [undefined, undefined],
      [40, 100],
      [0, undefined],
      [2, undefined],
    ]);
  });

  it('counts a repeated total once, and only the rise of a total without the last usage', () => {
    const first = { input_tokens: 100, output_tokens: 40 };
    const run = parseSingleRun(codexFormat, [
      createCodexCall('c1'),
      createTokenCount({ last_token_usage: first, total_token_usage: first }),
      createCodexCall('c2'),
      createTokenCount({ last_token_usage: first, total_token_usage: first }),
      createCodexOutput('c1', 'x'),
      createCodexOutput('c2', 'x'),
      createCodexCall('c3'),
      createTokenCount({ total_token_usage: { input_tokens: 250, output_tokens: 50 } }),
      createCodexOutput('c3', 'x'),
      createCodexCall('c4'),
      createTokenCount({ total_token_usage: { input_tokens: 120, output_tokens: 8 } }),
    ]);
    const usage = run.steps.map(({ tokens, inputTokens }) => [tokens, inputTokens]);
    expect(usage).toEqual([
      [40, 100],
      [0, undefined],
      [10, 150],
      [8, 120],
    ]);
  });

  it('has unknown input where nothing is counted', () => {
    const info = null;
    const run = parseSingleRun(codexFormat, [
      createCodexCall('c1'),
      createCodexEvent({ type: 'token_count', info }),
    ]);
    expect(run.steps.map(({ inputTokens }) => inputTokens)).toEqual([undefined]);
  });

  it('recognizes failures by the exit code in the output, and ignores the duration', () => {
    const run = parseSingleRun(codexFormat, [
      createCodexCall('c1'),
      createCodexOutput(
        'c1',
        'Chunk ID: 4d1a\nWall time: 0.0510 seconds\nProcess exited with code 127\nOutput:\nnot found',
      ),
      createCodexCall('c2'),
      createCodexOutput('c2', '{"output":"","metadata":{"exit_code":1,"duration_seconds":0.1}}'),
      createCodexCall('c3'),
      createCodexOutput('c3', 'Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\nworking'),
      createCodexCall('c4'),
      createCodexOutput('c4', 'a file that says\nExit code: 1\nOutput:\nx'),
    ]);
    expect(readCallResults(run)).toEqual([
      ['shell', 'not found', 'failed'],
      ['shell', '', 'empty'],
      ['shell', 'working', 'waiting'],
      ['shell', 'a file that says\nExit code: 1\nOutput:\nx', 'succeeded'],
    ]);
  });

  it('recognizes failures by the reported status of patches, commands and servers', () => {
    const run = parseSingleRun(codexFormat, [
      ...['c1', 'c2', 'c3', 'c4'].flatMap((id) => [createCodexCall(id), createCodexOutput(id, 'x')]),
      createCodexEvent({ type: 'patch_apply_end', call_id: 'c1', success: false }),
      createCodexEvent({ type: 'exec_command_end', call_id: 'c2', exit_code: 2 }),
      createCodexEvent({ type: 'mcp_tool_call_end', call_id: 'c3', result: { Ok: { isError: true } } }),
      createCodexEvent({ type: 'exec_command_end', call_id: 'c4', exit_code: 0 }),
    ]);
    expect(readCallResults(run)).toEqual([
      ['shell', 'x', 'failed'],
      ['shell', 'x', 'failed'],
      ['shell', 'x', 'failed'],
      ['shell', 'x', 'succeeded'],
    ]);
  });

  it('of the first versions is made of bare items', () => {
    const lines = [
      { id: 'old-1', timestamp: '2025-06-01T10:00:00Z', instructions: null },
      { record_type: 'state' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      {
        type: 'local_shell_call',
        call_id: 'c1',
        status: 'completed',
        action: { type: 'exec', command: ['ls'] },
      },
      { type: 'function_call_output', call_id: 'c1', output: 'a' },
    ];
    expect(codexFormat.matches(lines)).toBe(true);
    const run = parseSingleRun(codexFormat, lines);
    expect(run.id).toBe('old-1');
    expect(listCallOutcomes(run)).toEqual([['local_shell', 'a', undefined]]);
  });

  it('reports invalid lines', () => {
    expect(
      listTraceProblems(codexFormat, [
        createCodexCall('c1'),
        null,
        createCodexItem({}),
        createCodexOutput('c9', 'x'),
      ]),
    ).toEqual([
      '[1]: expected an object, got null',
      '[2].payload: an item without a type',
      '[3].payload: a result for the call c9, which is not there',
    ]);
  });
});
