import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runGoal, type RunOptions } from '../../src/run/start-run.ts';
import { allowCalls } from '../allow-calls.ts';
import { captureTerminalIo, captureIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer, type ScriptedSay } from '../openai-server.ts';

const execute = promisify(execFile);

let folder = '';
let server: OpenAiServer;

/** A project with a bug, a failing test, and a git history. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-coder-'));
  const manifest = { name: 'sums', type: 'module', scripts: { test: 'node --test' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'sum.js'), 'export function sum(a, b) {\n  return a - b;\n}\n');
  await writeFile(
    join(folder, 'sum.test.js'),
    `import { test } from 'node:test';
import assert from 'node:assert';
import { sum } from './sum.js';
test('adds', () => assert.equal(sum(2, 3), 5));
`,
  );
  await runGit('init', '-q');
  await runGit('config', 'user.email', 'a@example.com');
  await runGit('config', 'user.name', 'A');
  await runGit('add', '.');
  await runGit('commit', '-qm', 'A bug');
  server = await startOpenAiServer();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function runGit(...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('git', ['-C', folder, ...args]);
  return stdout;
}

const fix = { path: 'sum.js', old: 'a - b', new: 'a + b' };

/** The calls that fix the bug, one at a time. */
const script: readonly ScriptedSay[] = [
  { tool: 'phase_start', args: { description: 'Find the bug' } },
  { tool: 'search', args: { query: 'sum' } },
  { tool: 'test', args: {} },
  { tool: 'read', args: { path: 'sum.js' } },
  { tool: 'phase_start', args: { description: 'Mend it' } },
  { tool: 'edit', args: fix },
  { tool: 'test', args: {} },
  { tool: 'finish', args: { answer: 'sum.js subtracted; now it adds, and the test passes.' } },
];

/** `answer` is the reply at the terminal to every question; without it there is no terminal. */
async function runFixTask(
  more: Partial<RunOptions> = {},
  answer?: string,
): Promise<{ code: number; out: string; err: string }> {
  const captured = answer === undefined ? captureIo() : captureTerminalIo(answer);
  server.says = (request) => script[request - 1] ?? 'That is all.';
  const options: RunOptions = {
    dir: folder,
    profile: 'pawl',
    model: 'openai-compatible:m',
    baseUrl: server.url,
    mode: 'full-auto',
    ...more,
  };
  const code = await runGoal('Make the failing test pass.', options, captured.io);
  return { code, out: captured.out(), err: captured.err() };
}

describe('pawl run with the coding tools', () => {
  it('fixes a failing test over a real connection, in phases, and commits each step', async () => {
    allowCalls('allow test');
    const { code, out, err } = await runFixTask({ autoCommit: true });
    expect(err).toContain('phase 2');
    expect(out).toContain('now it adds');
    expect(code).toBe(0);
    expect(await readFile(join(folder, 'sum.js'), 'utf8')).toContain('a + b');
    const messages = JSON.stringify(server.asked.at(-1)?.messages);
    expect(messages).toMatch(/passed\W+1\b/);
    expect(await runGit('log', '--oneline')).toMatch(/\n.*A bug/);
    expect(await runGit('status', '--porcelain', '--', 'sum.js')).toBe('');
  });

  it('ends the same if the connection breaks at ten points', async () => {
    // The cuts are at fixed points, never three in a row, because the third failure ends the retries.
    const cuts = new Set([1, 3, 4, 6, 8, 9, 11, 13, 14, 16]);
    server.cuts = cuts;
    const profile = join(folder, 'quick.json');
    await writeFile(profile, JSON.stringify({ name: 'quick', extends: 'pawl', retryBaseMs: 10 }));
    const { code, out } = await runFixTask({ profile });
    expect(code).toBe(0);
    expect(out).toContain('now it adds');
    expect(server.asked).toHaveLength(script.length);
    expect(await readFile(join(folder, 'sum.js'), 'utf8')).toContain('a + b');
  });

  it('asks the user at a terminal before it changes or runs anything, and remembers "always"', async () => {
    const first = await runFixTask({ mode: 'ask' }, 'a');
    expect(first.code).toBe(0);
    expect(await readFile(join(folder, 'sum.js'), 'utf8')).toContain('a + b');
    expect(first.err).toMatch(/edit sum\.js \(changes the file, \d+ lines?\)\n/);
    expect(first.err).toMatch(/^ +\d+ - .*a - b.*\n +\d+ \+ .*a \+ b/m);
    expect(first.err).toMatch(/a = always: allow edit/);
    await runGit('checkout', '-q', 'sum.js');
    server.asked.length = 0;
    const second = await runFixTask({ mode: 'ask' }, 'n');
    expect(await readFile(join(folder, 'sum.js'), 'utf8')).toContain('a + b');
    expect(second.err).not.toContain('Run it?');
  });

  it('changes nothing if the user answers no', async () => {
    await runFixTask({ mode: 'ask' }, 'n');
    expect(await readFile(join(folder, 'sum.js'), 'utf8')).toContain('a - b');
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('the user declined');
  });

  it('changes nothing without a user to ask, and tells the model why', async () => {
    const { out } = await runFixTask({ mode: 'ask' });
    expect(await readFile(join(folder, 'sum.js'), 'utf8')).toContain('a - b');
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('no user is available to ask');
    expect(out).toContain('now it adds');
  });

  it('exits with 6 if every tool call is denied', async () => {
    const captured = captureIo();
    server.says = () => ({ tool: 'edit', args: fix });
    const code = await runGoal(
      'Make the failing test pass.',
      { dir: folder, model: 'openai-compatible:m', baseUrl: server.url, mode: 'read-only' },
      captured.io,
    );
    expect(code).toBe(6);
    expect(captured.err()).toContain('denied after');
  });

  it('denies every change in read-only mode', async () => {
    await runFixTask({ mode: 'read-only' });
    expect(await readFile(join(folder, 'sum.js'), 'utf8')).toContain('a - b');
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('read-only');
  });

  it('ignores the configuration of a folder until it is trusted', async () => {
    await writeFile(join(folder, 'pawl.config.json'), JSON.stringify({ permission: { mode: 'full-auto' } }));
    const { err } = await runFixTask({ mode: 'ask' });
    expect(err).toContain('is not trusted and was ignored');
    expect(await readFile(join(folder, 'sum.js'), 'utf8')).toContain('a - b');
  });
});
