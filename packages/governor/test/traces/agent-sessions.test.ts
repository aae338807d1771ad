import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { clineFormat } from '../../src/traces/cline.ts';
import { continueFormat } from '../../src/traces/continue.ts';
import { copilotCliFormat } from '../../src/traces/copilot-cli.ts';
import { cursorFormat } from '../../src/traces/cursor.ts';
import { geminiCliFormat } from '../../src/traces/gemini-cli.ts';
import { opencodeFormat } from '../../src/traces/opencode.ts';
import { traceFormats } from '../../src/traces/parse-trace.ts';
import { qwenCodeFormat } from '../../src/traces/qwen-code.ts';
import type { TraceFormat } from '../../src/traces/trace-format.ts';
import {
  clineSample,
  clineTaskSample,
  continueSample,
  copilotCliSample,
  copilotHistorySample,
  cursorChatSample,
  cursorConversationSample,
  cursorTranscriptSample,
  geminiCliSample,
  opencodeSample,
  qwenCodeSample,
} from './agent-samples.ts';
import { listTraceProblems, parseSingleRun, readCallResults } from './parse-single-run.ts';

const notFound = 'bash: line 1: cd: fastjson/: No such file or directory';

/** The samples of programs that made the same calls, with what each of them calls its tools and says. */
const sessions: readonly {
  readonly format: TraceFormat;
  readonly sample: Json;
  readonly model: string;
  readonly tools: readonly [command: string, read: string];
  readonly results: readonly [list: string, read: string, enter: string];
  readonly tokens: readonly (number | undefined)[];
}[] = [
  {
    format: geminiCliFormat,
    sample: geminiCliSample,
    model: 'gemini-2.5-flash',
    tools: ['run_shell_command', 'read_file'],
    results: [
      'a.txt',
      'File not found: /project/nothere.txt',
      '/usr/bin/bash: line 4: cd: fastjson/: No such file or directory',
    ],
    // Google counts the 20 tokens of the thoughts apart from the output.
    tokens: [undefined, 70, 0, 70, 70],
  },
  {
    format: qwenCodeFormat,
    sample: qwenCodeSample,
    model: 'test-model',
    tools: ['run_shell_command', 'read_file'],
    results: ['a.txt', 'File not found: /project/nothere.txt', notFound],
    tokens: [undefined, 50, 0, 50, 50],
  },
  {
    format: opencodeFormat,
    sample: opencodeSample,
    model: 'test-model',
    tools: ['bash', 'read'],
    results: ['a.txt\n', 'File not found: /project/nothere.txt', `/bin/${notFound}\n`],
    tokens: [undefined, 50, 0, 50, 50],
  },
  {
    format: clineFormat,
    sample: clineSample,
    model: 'test-model',
    tools: ['run_commands', 'read_files'],
    results: [
      'a.txt\n',
      "Error reading file: ENOENT: no such file or directory, statx '/project/nothere.txt'",
      `/bin/${notFound}\n`,
    ],
    tokens: [undefined, 50, 0, 50, 50],
  },
  {
    format: continueFormat,
    sample: continueSample,
    model: 'test-model',
    tools: ['Bash', 'Read'],
    results: ['a.txt\n', 'File does not exist: nothere.txt', `/bin/${notFound}\n`],
    tokens: [undefined, 50, 0, 50, 50],
  },
  {
    format: copilotCliFormat,
    sample: copilotCliSample,
    model: 'test-model',
    tools: ['bash', 'view'],
    results: ['a.txt', 'Path does not exist', `/bin/${notFound}`],
    tokens: [undefined, 50, 0, 50, 50],
  },
];

describe.each(sessions)('a session of $format.name', ({ format, sample, model, tools, results, tokens }) => {
  it('has the messages and the calls with their results', () => {
    const run = parseSingleRun(format, sample);
    expect(run).toMatchObject({ source: format.name, model });
    expect(run.steps.map(({ role, text, tool }) => [role, text?.replaceAll('"', ''), tool])).toEqual([
      ['user', 'Fix the build', undefined],
      ['assistant', 'I look.', tools[0]],
      ['assistant', undefined, tools[1]],
      ['assistant', 'I look.', tools[0]],
      ['assistant', 'All done.', undefined],
    ]);
    expect(readCallResults(run)).toEqual([
      [tools[0], results[0], 'succeeded'],
      [tools[1], results[1], 'failed'],
      [tools[0], results[2], 'failed'],
    ]);
  });

  it('counts the tokens of each reply once, with cached input', () => {
    const { steps } = parseSingleRun(format, sample);
    expect(steps.map((step) => step.tokens)).toEqual(tokens);
    const inputs = steps.flatMap((step) => step.inputTokens ?? []);
    expect(inputs.slice(0, 2)).toEqual([1_000, 1_100]);
    expect(inputs).toHaveLength(3);
    expect(steps.flatMap((step) => step.cachedTokens ?? [])).toEqual([200, 200, 200]);
  });

  it('is claimed by no other format', () => {
    const matching = traceFormats.filter((each) => each.matches(sample)).map(({ name }) => name);
    expect(matching[0]).toBe(format.name);
    const others = sessions.filter((each) => each.format !== format);
    expect(others.filter((each) => each.format.matches(sample))).toEqual([]);
  });
});

describe('a session of Gemini CLI', () => {
  const message = { id: 'm1', timestamp: '2026-03-01T10:00:00Z', type: 'user', content: 'Hello' };

  it('is read from one document too, as older versions and Qwen Code wrote it', () => {
    const call = {
      id: 'c1',
      name: 'read_file',
      args: { path: 'a' },
      status: 'error',
      resultDisplay: 'no such file',
    };
    const reply = {
      id: 'm2',
      type: 'qwen',
      content: 'I look.',
      toolCalls: [call],
      tokens: null,
      model: 'coder',
    };
    const document = { sessionId: 's', projectHash: 'p', messages: [message, reply] };
    expect(geminiCliFormat.matches(document)).toBe(true);
    expect(parseSingleRun(geminiCliFormat, document)).toMatchObject({
      id: 's',
      source: 'qwen-code',
      model: 'coder',
      steps: [
        { role: 'user', text: 'Hello', at: 1_772_359_200_000 },
        { text: 'I look.', tool: 'read_file', result: 'no such file', error: true, tokens: 5 },
      ],
    });
  });

  it('keeps what a rewritten history no longer holds', () => {
    const lines = [
      { sessionId: 's', projectHash: 'p' },
      message,
      { id: 'm2', type: 'gemini', content: 'I did much.' },
      { $set: { messages: [{ id: 'm3', type: 'user', content: 'Summary' }] } },
      { id: 'm4', type: 'gemini', content: 'I go on.' },
      { id: 'm5', type: 'info', content: 'Update available' },
    ];
    const { steps } = parseSingleRun(geminiCliFormat, lines);
    expect(steps.map(({ text }) => text)).toEqual(['Hello', 'I did much.', 'Summary', 'I go on.']);
  });

  it('may be followed by another one in the same file', () => {
    const lines = [
      { sessionId: 's', projectHash: 'p' },
      message,
      { sessionId: 't', projectHash: 'p' },
      message,
    ];
    expect(geminiCliFormat.parse(lines, 'name').runs.map(({ id }) => id)).toEqual(['s', 't']);
  });

  it('leaves a call that did not end without a result', () => {
    const call = { id: 'c1', name: 'read_file', args: {}, status: 'executing' };
    const document = {
      sessionId: 's',
      messages: [message, { id: 'm2', type: 'gemini', content: '', toolCalls: [call] }],
    };
    const step = parseSingleRun(geminiCliFormat, document).steps[1];
    expect([step?.tool, step?.result, step?.error]).toEqual(['read_file', undefined, undefined]);
  });

  it('is read from a saved chat', () => {
    const history = [
      { role: 'user', parts: [{ text: 'Hello' }] },
      {
        role: 'model',
        parts: [{ text: 'thinking', thought: true }, { functionCall: { name: 'ls', args: {} } }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'ls', response: { error: 'no' } } }] },
    ];
    for (const document of [{ history }, { contents: history }, history]) {
      expect(geminiCliFormat.matches(document)).toBe(true);
      expect(parseSingleRun(geminiCliFormat, document).steps).toMatchObject([
        { text: 'Hello' },
        { tool: 'ls', args: {}, result: 'no', error: true },
      ]);
    }
  });

  it('reports what is no message', () => {
    const messages = [message, 3, { type: 'else', id: 'm3' }];
    expect(listTraceProblems(geminiCliFormat, { sessionId: 's', messages })).toEqual([
      'messages[1]: expected a message, got a number',
      'messages[2]: a message of an unknown type',
    ]);
  });
});

function createQwenLine(uuid: string, more: object): Json {
  return { uuid, sessionId: 's', timestamp: '2026-03-01T10:00:00Z', ...more };
}

describe('a session of Qwen Code', () => {
  const user = createQwenLine('u1', { type: 'user', message: { role: 'user', parts: [{ text: 'Hello' }] } });

  it('has its sub-agents as runs of their own, and no duplicate lines', () => {
    const agent = createQwenLine('u2', {
      type: 'user',
      agentId: 'a',
      message: { role: 'user', parts: [{ text: 'Look' }] },
    });
    const { runs, problems } = qwenCodeFormat.parse([user, agent, user], 'name');
    expect(problems).toEqual([]);
    expect(runs.map(({ id, steps }) => [id, steps.length])).toEqual([
      ['s', 1],
      ['s/a', 1],
    ]);
  });

  it('reports invalid lines', () => {
    expect(
      listTraceProblems(qwenCodeFormat, [
        user,
        'x',
        createQwenLine('u2', { type: 'assistant', message: {} }),
      ]),
    ).toEqual([
      '[2]: expected a message with parts, got nothing',
      '[1]: expected an object, got a string',
      'no step in the run name',
    ]);
  });
});

function createOpencodeMessage(
  role: string,
  parts: readonly Json[],
  more: { readonly [name: string]: Json } = {},
): Json {
  return { info: { id: 'msg_1', role, ...more }, parts };
}

describe('a session of opencode', () => {
  const info = { id: 'ses_2', parentID: 'ses_1' };

  it('that another one started is named after both', () => {
    const messages = [createOpencodeMessage('user', [{ type: 'text', text: 'Look' }])];
    expect(parseSingleRun(opencodeFormat, { info, messages }).id).toBe('ses_1/ses_2');
  });

  it('omits what the program inserted, and requests without a reply', () => {
    const synthetic = { type: 'text', text: 'The file says …', synthetic: true };
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const messages = [
      createOpencodeMessage('user', [{ type: 'text', text: 'Look' }, synthetic]),
      createOpencodeMessage('assistant', [], { tokens, error: { name: 'APIError' } }),
      createOpencodeMessage(
        'assistant',
        [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'Done' },
        ],
        { tokens },
      ),
    ];
    expect(parseSingleRun(opencodeFormat, { info, messages }).steps).toEqual([
      { i: 0, role: 'user', text: 'Look' },
      { i: 1, role: 'assistant', text: 'Done', tokens: 2 },
    ]);
  });

  it('reports what is no message', () => {
    const messages = [createOpencodeMessage('user', [{ type: 'text', text: 'Look' }]), 3];
    expect(listTraceProblems(opencodeFormat, { info, messages })).toEqual([
      'messages[1]: expected a message, got a number',
    ]);
  });
});

describe('a task of Cline', () => {
  it('has its calls and their results in the texts', () => {
    const run = parseSingleRun(clineFormat, clineTaskSample);
    expect(run.steps).toMatchObject([
      { role: 'user', text: 'Fix the build' },
      { text: 'I look.', tool: 'execute_command', args: { command: 'ls', requires_approval: 'false' } },
      { tool: 'read_file', args: { path: 'nothere.txt' }, error: true },
      { text: 'I think that it is done.', error: true },
      { tool: 'attempt_completion', args: { result: 'All done.' } },
    ]);
    expect(readCallResults(run)).toMatchObject([
      ['execute_command', 'a.txt', 'succeeded'],
      ['read_file', expect.stringContaining('File not found'), 'failed'],
      ['attempt_completion', '', 'succeeded'],
    ]);
  });

  it('takes the usage from the messages of the user interface', () => {
    const { steps } = parseSingleRun(clineFormat, clineTaskSample);
    expect(steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [undefined, undefined],
      [50, 1_200],
      [50, 1_300],
      [50, 1_400],
      [50, 1_500],
    ]);
  });

  it('shares the usage among the replies if it cannot be assigned to them', () => {
    const task = clineTaskSample as { readonly [name: string]: readonly Json[] };
    const ui = task['ui_messages'] ?? [];
    const { steps } = parseSingleRun(clineFormat, { ...task, ui_messages: ui.slice(0, 3) });
    expect(steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [undefined, undefined],
      [49, 625],
      [17, 625],
      [17, 625],
      [17, 625],
    ]);
  });

  it('is read without the messages of the user interface, and then its tokens are estimated', () => {
    const messages =
      (clineTaskSample as { readonly [name: string]: Json })['api_conversation_history'] ?? null;
    expect(clineFormat.matches(messages)).toBe(true);
    const { steps } = parseSingleRun(clineFormat, messages);
    expect(steps.every(({ inputTokens }) => inputTokens === undefined)).toBe(true);
  });

  it('with native tools has a refusal marked', () => {
    const messages = [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'execute_command', input: { command: 'ls' } }],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            content: "[execute_command for 'ls'] Result:\nThe user denied this operation.",
          },
          { type: 'text', text: '<environment_details>\n</environment_details>' },
        ],
      },
    ];
    expect(clineFormat.matches(messages)).toBe(true);
    expect(parseSingleRun(clineFormat, messages).steps).toMatchObject([
      { tool: 'execute_command', result: 'The user denied this operation.', error: true },
    ]);
  });

  it('keeps what is written into a file, also if it looks like a call', () => {
    const content = '<p>\n<b>x</b>\n</p>\n<path>y</path>';
    const text = `<write_to_file>\n<path>a.html</path>\n<content>\n${content}\n</content>\n</write_to_file>`;
    const messages = [
      { role: 'assistant', content: [{ type: 'text', text }] },
      { role: 'user', content: [{ type: 'text', text: "[write_to_file for 'a.html'] Result:\nsaved" }] },
    ];
    expect(parseSingleRun(clineFormat, messages).steps).toMatchObject([
      { tool: 'write_to_file', args: { path: 'a.html', content }, result: 'saved' },
    ]);
  });

  it('is read in linear time, whatever its texts', () => {
    const texts = ['<thinking>', '<execute_command><a>', '<a><b>', "[execute_command for '"].map((each) =>
      each.repeat(50_000),
    );
    const messages = [
      { role: 'user', content: [{ type: 'text', text: '<environment_details>' }] },
      ...texts.flatMap((text) => [
        {
          role: 'assistant',
          content: [{ type: 'text', text: `<execute_command><a>${text}</execute_command>` }],
        },
        { role: 'user', content: [{ type: 'text', text }] },
      ]),
    ];
    const start = performance.now();
    expect(clineFormat.matches(messages)).toBe(true);
    clineFormat.parse(messages, 'name');
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('is no other conversation', () => {
    const conversation = [
      { role: 'user', content: [{ type: 'text', text: 'What does <environment_details> mean?' }] },
      { role: 'assistant', content: 'Use [x] Result:' },
    ];
    expect(clineFormat.matches(conversation)).toBe(false);
    expect(
      clineFormat.matches([
        { role: 'system', content: 'x' },
        { role: 'user', content: '<environment_details>' },
      ]),
    ).toBe(false);
  });
});

describe('a session of Continue', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'ls', arguments: '{"path":"a"}' } };

  it('of an older version has results as messages, and its usage in total', () => {
    const history = [
      { message: { role: 'user', content: [{ type: 'text', text: 'Look' }] }, contextItems: [] },
      { message: { role: 'thinking', content: 'hm' }, contextItems: [] },
      { message: { role: 'assistant', content: '', toolCalls: [call] }, contextItems: [] },
      { message: { role: 'tool', content: 'b c', toolCallId: 'c1' }, contextItems: [] },
      { message: { role: 'assistant', content: 'Two.' }, contextItems: [] },
    ];
    const document = {
      sessionId: 's',
      history,
      usage: { promptTokens: 90, completionTokens: 30, totalCost: 1 },
    };
    expect(parseSingleRun(continueFormat, document).steps).toEqual([
      { i: 0, role: 'user', text: 'Look' },
      {
        i: 1,
        role: 'assistant',
        tool: 'ls',
        args: { path: 'a' },
        result: 'b c',
        tokens: 23,
        inputTokens: 60,
      },
      { i: 2, role: 'assistant', text: 'Two.', tokens: 7, inputTokens: 30 },
    ]);
  });

  it.each([
    ['done', false],
    ['errored', true],
    ['canceled', true],
  ])('marks a call with the status %s', (status, error) => {
    const state = { toolCallId: 'c1', status, output: [{ content: 'x' }] };
    const history = [
      {
        message: { role: 'assistant', content: '', toolCalls: [call] },
        contextItems: [],
        toolCallStates: [state],
      },
    ];
    expect(parseSingleRun(continueFormat, { history }).steps).toMatchObject([{ result: 'x', error }]);
  });

  it('reports what is no message', () => {
    const history = [
      { message: { role: 'user', content: 'Look' }, contextItems: [] },
      3,
      { message: { role: 'else' } },
    ];
    expect(listTraceProblems(continueFormat, { history })).toEqual([
      'history[1]: expected a message, got a number',
      'history[2]: a message of an unknown role',
    ]);
  });
});

const sumCounts = (counts: readonly (number | undefined)[]): number =>
  counts.reduce<number>((total, count) => total + (count ?? 0), 0);

const createCopilotEvent = (type: string, data: Json, more = {}): Json => ({ type, data, id: type, ...more });

describe('a session of GitHub Copilot CLI', () => {
  const lines = copilotCliSample as readonly { readonly type: string; readonly data: Json }[];

  it('has the tokens of its end if no request has its own, and else those of each message', () => {
    const ended = lines.filter(({ type }) => type !== 'session.usage_record');
    const { steps } = parseSingleRun(copilotCliFormat, ended);
    expect(sumCounts(steps.map(({ tokens }) => tokens))).toBe(150);
    expect(sumCounts(steps.map(({ inputTokens }) => inputTokens))).toBe(3_300);
    const open = ended
      .filter(({ type }) => type !== 'session.shutdown')
      .map((line) =>
        line.type === 'assistant.message'
          ? { ...line, data: { ...Object(line.data), outputTokens: 7 } }
          : line,
      );
    expect(parseSingleRun(copilotCliFormat, open as Json).steps.map(({ tokens }) => tokens)).toEqual([
      undefined,
      7,
      0,
      7,
      7,
    ]);
  });

  it('is a run for each sub-agent, without what the user runs and the program says in their name', () => {
    const agentId = 'a1';
    const document = [
      createCopilotEvent('session.start', { sessionId: 's', selectedModel: 'm' }),
      createCopilotEvent('user.message', { content: 'Go' }),
      createCopilotEvent('user.message', { content: 'Continue', isAutopilotContinuation: true }),
      createCopilotEvent('user.message', { content: 'The skill', source: 'skill-pdf' }),
      createCopilotEvent('tool.user_requested', { toolCallId: 'u1', toolName: 'bash', arguments: {} }),
      createCopilotEvent('tool.execution_start', { toolCallId: 'u1', toolName: 'bash', arguments: {} }),
      createCopilotEvent('tool.execution_complete', {
        toolCallId: 'u1',
        success: true,
        result: { content: 'x' },
      }),
      createCopilotEvent('assistant.message', { messageId: 'm1', content: 'Done', toolRequests: [] }),
      createCopilotEvent(
        'assistant.message',
        { messageId: 'm2', content: 'Looked', toolRequests: [] },
        { agentId },
      ),
      createCopilotEvent(
        'tool.execution_start',
        { toolCallId: 't1', toolName: 'grep', arguments: { pattern: 'a' } },
        { agentId },
      ),
      createCopilotEvent(
        'tool.execution_complete',
        { toolCallId: 't1', success: true, result: { content: 'a' } },
        { agentId },
      ),
    ];
    const { runs, problems } = copilotCliFormat.parse(document, 'name');
    expect(problems).toEqual([]);
    expect(
      runs.map(({ id, model, steps }) => [id, model, steps.map(({ text, tool }) => text ?? tool)]),
    ).toEqual([
      ['s', 'm', ['Go', 'Done']],
      ['s/a1', 'm', ['Looked', 'grep']],
    ]);
  });

  it('is read from the document of versions before the lines', () => {
    const run = parseSingleRun(copilotCliFormat, copilotHistorySample);
    expect(run).toMatchObject({ id: 's1', source: 'copilot-cli' });
    expect(run.steps.map(({ text, tool }) => [text, tool])).toEqual([
      ['Fix the build', undefined],
      ['I look.', 'bash'],
      ['All done.', undefined],
    ]);
  });
});

describe('a session of Cursor', () => {
  it('is read from a chat of its command line interface, without the context that it adds', () => {
    const run = parseSingleRun(cursorFormat, cursorChatSample);
    expect(run).toMatchObject({ id: 's1', source: 'cursor', model: 'test-model' });
    expect(run.steps.map(({ text, tool, error }) => [text, tool, error])).toEqual([
      ['Fix the build', undefined, undefined],
      ['I look.', 'Shell', false],
      [undefined, 'Read', true],
      ['All done.', undefined, undefined],
    ]);
  });

  it('is read from a conversation in the editor, with exit codes and the tokens that it has', () => {
    const run = parseSingleRun(cursorFormat, cursorConversationSample);
    expect(run).toMatchObject({ id: 's1', source: 'cursor', model: 'test-model' });
    expect(readCallResults(run)).toEqual([
      ['run_terminal_cmd', 'no rule', 'failed'],
      ['read_file', '{"contents":"a"}', 'succeeded'],
      ['read_file_v2', 'no such file', 'failed'],
    ]);
    expect(run.steps[2]).toMatchObject({ args: { command: 'make' }, exitCode: 2 });
    expect(run.steps[1]).toMatchObject({ text: 'I look.', tokens: 50 + 6, inputTokens: 900 });
    expect(run.steps.map(({ text }) => text).filter((text) => text !== undefined)).toEqual([
      'Fix the build',
      'I look.',
      'All done.',
    ]);
  });

  it('is read from a transcript, named after its file', () => {
    const run = parseSingleRun(cursorFormat, cursorTranscriptSample);
    expect(run.id).toBe('name');
    expect(run.steps.map(({ text, tool, result }) => [text, tool, result])).toEqual([
      ['Fix the build', undefined, undefined],
      ['I look.', 'Shell', undefined],
      ['All done.', undefined, undefined],
    ]);
  });

  it('reports messages that are not in the database', () => {
    const { bubbles, ...rest } = cursorConversationSample as { readonly bubbles: readonly Json[] };
    expect(listTraceProblems(cursorFormat, { ...rest, bubbles: [...bubbles, null] })).toEqual([
      'bubbles[7]: the message is not in the database',
    ]);
  });
});
