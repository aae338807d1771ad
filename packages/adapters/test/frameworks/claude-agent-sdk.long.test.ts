import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createGovernorHooks, type GovernOptions } from '../../src/claude-agent-sdk.ts';
import { countMatches, governorNotePattern } from '../agent-scripts.ts';
import { startAnthropicServer, type AnthropicBlock, type AnthropicRequest } from './anthropic-server.ts';
import { compileDocsExample } from './compile-docs-example.ts';
import { installFramework, selectVersion } from './install-framework.ts';

/* The SDK brings its own program, which runs here against a model on this machine. It is too large to be installed always. */
const version = selectVersion('0.2.126', '^0.3.328');
const framework = installFramework(`claude-agent-sdk-${version}`, {
  '@anthropic-ai/claude-agent-sdk': version,
});

type ClaudeMessage = { readonly type: string; readonly subtype?: string; readonly result?: string };
type ClaudeSdk = {
  readonly query: (request: {
    readonly prompt: string;
    readonly options: object;
  }) => AsyncIterable<ClaudeMessage>;
};

/** The next move of the model, given its request and the number of earlier requests of the same agent. */
type ClaudeScript = (asked: number, request: AnthropicRequest, folder: string) => AnthropicBlock[];

const createCall = (asked: number, name: string, input: object): AnthropicBlock => ({
  type: 'tool_use',
  id: `toolu_${asked}_${Math.random().toString(36).slice(2)}`,
  name,
  input,
});
const createText = (text: string): AnthropicBlock => ({ type: 'text', text });

function getAnthropicText(request: AnthropicRequest): string {
  return JSON.stringify([request.system, request.messages]);
}

const isLastRequest = (request: AnthropicRequest): boolean =>
  getAnthropicText(request).includes('this is your last reply');

/** Collects the messages of a run. The SDK reports some results as errors as well. */
async function collectMessages(run: AsyncIterable<ClaudeMessage>): Promise<ClaudeMessage[]> {
  const messages: ClaudeMessage[] = [];
  try {
    for await (const message of run) messages.push(message);
  } catch (error) {
    if (!messages.some(({ type }) => type === 'result')) throw error;
  }
  return messages;
}

type ClaudeRun = {
  readonly isGoverned?: boolean;
  readonly prompts?: readonly string[];
  readonly budgets?: GovernOptions['budgets'];
};

async function runClaude(
  script: ClaudeScript,
  { isGoverned = true, prompts = ['When do we ship?'], budgets = {} }: ClaudeRun = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-claude-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
  mkdirSync(cwd);
  mkdirSync(home);
  writeFileSync(join(cwd, 'notes.md'), 'Ship on Friday.');
  for (let index = 0; index < 12; index += 1) writeFileSync(join(cwd, `file-${index}`), `content ${index}`);
  let asked = 0;
  const server = await startAnthropicServer((request) => script(asked++, request, cwd));
  const { query } = await framework.load<ClaudeSdk>('@anthropic-ai/claude-agent-sdk');
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    IS_SANDBOX: '1',
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const options = {
    cwd,
    env,
    maxTurns: 20,
    settingSources: [],
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    ...(isGoverned && { hooks: createGovernorHooks({ budgets }) }),
  };
  const messages: ClaudeMessage[] = [];
  for (const [index, prompt] of prompts.entries())
    messages.push(
      ...(await collectMessages(query({ prompt, options: { ...options, continue: index > 0 } }))),
    );
  const result = messages.find(({ type }) => type === 'result');
  return { requests: server.requests, result, answer: result?.result ?? '' };
}

const readNotes: ClaudeScript = (asked, request) =>
  isLastRequest(request)
    ? [createText('Ship on Friday.')]
    : [createCall(asked, 'Bash', { command: 'cat notes.md', description: 'read' })];

const alternateFailures: ClaudeScript = (asked, request) =>
  isLastRequest(request)
    ? [createText('Neither works.')]
    : [createCall(asked, 'Bash', { command: asked % 2 === 0 ? 'exit 3' : 'exit 4', description: 'try' })];

const failOneCall: ClaudeScript = (asked, request) =>
  isLastRequest(request)
    ? [createText('It fails.')]
    : [createCall(asked, 'Bash', { command: 'exit 3', description: 'try' })];

const readTwelveFiles: ClaudeScript = (asked, _, folder) =>
  asked < 12
    ? [createCall(asked, 'Read', { file_path: join(folder, `file-${asked}`) })]
    : [createText('All read.')];

const readUntilEnd: ClaudeScript = (asked, request, folder) =>
  isLastRequest(request) ? [createText('Some read.')] : readTwelveFiles(asked, request, folder);

const ignoreGovernor: ClaudeScript = (asked) => [
  createCall(asked, 'Bash', { command: 'cat notes.md', description: 'read' }),
];

describe(`Claude Agent SDK ${version}`, () => {
  beforeEach(({ skip }) => skip(framework.problem !== null, framework.problem ?? ''));

  it('compiles the example of the documentation', () => {
    expect(compileDocsExample(framework, '@pawl/adapters/claude-agent-sdk')).toBe('');
  });

  it('loops until its limit without the governor', async () => {
    const { requests, result } = await runClaude(readNotes, { isGoverned: false });
    expect(requests.length).toBe(20);
    expect(result?.subtype).toBe('error_max_turns');
  });

  it.each([
    ['a repeated call', readNotes, 5, 'Ship on Friday.'],
    ['alternating failures', alternateFailures, 8, 'Neither works.'],
    ['a failing call', failOneCall, 8, 'It fails.'],
  ])('ends %s with an answer', async (_, script, limit, text) => {
    const { requests, answer, result } = await runClaude(script);
    expect(requests.length).toBeLessThanOrEqual(limit);
    expect([result?.subtype, answer]).toEqual(['success', text]);
  });

  it('does not change twelve productive steps', async () => {
    const { requests, answer } = await runClaude(readTwelveFiles);
    expect([requests.length, answer]).toEqual([13, 'All read.']);
    expect(requests.map((request) => countMatches(getAnthropicText(request), governorNotePattern))).toEqual(
      Array.from({ length: 13 }, () => 0),
    );
  });

  it('ends the run of a model that ignores the denial of its calls', async () => {
    const { requests } = await runClaude(ignoreGovernor);
    expect(requests.length).toBeLessThanOrEqual(6);
  });

  it('accepts no prompt in a session whose budget is spent', async () => {
    const once = await runClaude(readUntilEnd, { budgets: { modelCalls: 4 } });
    expect([once.requests.length, once.answer]).toEqual([4, 'Some read.']);
    const prompts = ['When do we ship?', 'And then?'];
    const twice = await runClaude(readUntilEnd, { budgets: { modelCalls: 4 }, prompts });
    expect(twice.requests.length).toBe(4);
  });

  it.each([
    ['that follows the last advice', readNotes, 5],
    ['that ignores the governor', ignoreGovernor, 6],
  ])('ends the loop of a sub-agent %s, but not its parent', async (_, script, limit) => {
    const counts = { parent: 0, child: 0 };
    const { answer } = await runClaude((asked, request, folder) => {
      const isChild = !JSON.stringify(request.messages[0]).includes('When do we ship?');
      counts[isChild ? 'child' : 'parent'] += 1;
      if (isChild) return script(asked, request, folder);
      if (counts.parent > 1) return [createText('The sub-agent says Friday.')];
      const input = { description: 'Read', prompt: 'Read the notes', subagent_type: 'general-purpose' };
      return [createCall(asked, 'Agent', { ...input, run_in_background: false })];
    });
    expect(counts.parent).toBe(2);
    expect(counts.child).toBeLessThanOrEqual(limit);
    expect(answer).toBe('The sub-agent says Friday.');
  });
});
