import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openSqliteStore } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runResume } from '../../src/commands/resume/action.ts';
import { exitCodes } from '../../src/output/exit-codes.ts';
import { runGoal, type RunOptions } from '../../src/run/start-run.ts';
import { allowCalls, allowShell } from '../allow-calls.ts';
import { captureTerminalIo, captureIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer, type ScriptedSay } from '../openai-server.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');

let folder = '';
let server: OpenAiServer;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-resume-'));
  await writeFile(join(folder, 'plan.md'), 'one\n');
  server = await startOpenAiServer();
  allowCalls(allowShell(slowCommand));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  server.close();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const getStorePath = (): string => join(folder, 'kept', 'sessions.db');
const readLedger = (): string =>
  existsSync(join(folder, 'ledger')) ? readFileSync(join(folder, 'ledger'), 'utf8') : '';

/** Whether the output of a command has arrived. */
function hasSpooledOutput(): boolean {
  const spool = join(folder, 'kept', 'spool');
  return (
    existsSync(spool) &&
    readdirSync(spool, { recursive: true }).some((name) => String(name).endsWith('.output'))
  );
}

function scriptModel(...says: readonly ScriptedSay[]): void {
  server.says = (request) => says[request - 1] ?? 'Nothing is left to say.';
}

function createRunOptions(more: Partial<RunOptions> = {}): RunOptions {
  return {
    dir: folder,
    store: getStorePath(),
    model: 'openai-compatible:m',
    baseUrl: server.url,
    mode: 'full-auto',
    ...more,
  };
}

/** A real process, which can be killed. */
function spawnPawl(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [bin, ...args, '--store', getStorePath(), '--dir', folder], {
    cwd: folder,
  });
  children.push(child);
  return child;
}

function waitForCondition(holds: () => boolean): Promise<void> {
  return expect.poll(holds).toBe(true);
}

async function runResumeCommand(
  message: string | null = null,
  more: object = {},
  captured = captureIo(),
): Promise<{ code: number; out: string; err: string }> {
  const code = await runResume('last', message, { dir: folder, store: getStorePath(), ...more }, captured.io);
  return { code, out: captured.out(), err: captured.err() };
}

/** The tool results in the last model request. */
function listLastToolResults(): readonly string[] {
  const messages = server.asked.at(-1)?.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

const getModelFlags = (): string[] => [
  '--model',
  'openai-compatible:m',
  '--base-url',
  server.url,
  '--mode',
  'full-auto',
];
const slowCommand = 'echo start >> ledger; echo half of it; sleep 600; echo end >> ledger';

describe('pawl resume', () => {
  it('resumes after kill -9 during a command, which is not run again, and informs the model', async () => {
    scriptModel({ tool: 'shell', args: { command: slowCommand } }, 'It was cut off; I leave it.');
    const child = spawnPawl('run', ...getModelFlags(), 'Do it.');
    await waitForCondition(() => readLedger() === 'start\n' && hasSpooledOutput());
    child.kill('SIGKILL');
    await waitForCondition(() => child.signalCode !== null);
    const { code, out } = await runResumeCommand();
    expect(code).toBe(0);
    expect(out).toContain('It was cut off; I leave it.');
    expect(readLedger()).toBe('start\n');
    expect(listLastToolResults()).toHaveLength(1);
    expect(listLastToolResults()[0]).toContain('It may have completed, partially completed or not run');
    expect(listLastToolResults()[0]).toContain('half of it');
  });

  it('continues with a message after a stop of the governor, and only then', async () => {
    server.says = (request) =>
      request <= 12 ? { tool: 'read', args: { path: 'plan.md' } } : `answer to request ${request}`;
    const { io, err } = captureIo();
    expect(await runGoal('Do it.', createRunOptions(), io)).toBe(exitCodes.stuck);
    const stoppedAt = server.asked.length;
    expect(stoppedAt).toBeLessThan(9);
    expect(err()).toMatch(/To continue: pawl resume [\da-f]{8} "next message"/);
    const again = await runResumeCommand();
    expect([again.code, server.asked.length]).toEqual([exitCodes.stuck, stoppedAt]);
    server.says = () => 'This time I know it.';
    const next = await runResumeCommand('Look elsewhere.');
    expect([next.code, next.out]).toEqual([exitCodes.finished, '\nThis time I know it.\n']);
    const { messages = [] } = server.asked.at(-1) ?? {};
    expect(JSON.stringify(messages)).toMatch(/Do it\..*Look elsewhere\./);
  });

  it('grants an exhausted budget again with a message', async () => {
    let calls = 0;
    server.says = () => ({ tool: 'read', args: { path: 'plan.md', from: (calls += 1) } });
    expect(await runGoal('Do it.', createRunOptions({ maxSteps: '3' }), captureIo().io)).toBe(
      exitCodes.budget,
    );
    expect(server.asked).toHaveLength(3);
    const { code } = await runResumeCommand('Go on.');
    expect([code, server.asked.length]).toEqual([exitCodes.budget, 6]);
  });

  it('resumes after Ctrl-C, which prints the command for it', { tags: ['unix'] }, async () => {
    scriptModel({ tool: 'shell', args: { command: slowCommand } }, 'Done without it.');
    const child = spawnPawl('run', ...getModelFlags(), 'Do it.');
    const err = child.stderr === null ? Promise.resolve('') : text(child.stderr);
    await waitForCondition(() => readLedger() === 'start\n');
    child.kill('SIGINT');
    const hint = /continue with: pawl resume ([\da-f]{8})/.exec(await err);
    expect(hint).not.toBeNull();
    await waitForCondition(() => child.exitCode !== null);
    expect(child.exitCode).toBe(130);
    const captured = captureIo();
    expect(await runResume(hint?.[1] ?? '', null, { dir: folder, store: getStorePath() }, captured.io)).toBe(
      0,
    );
    expect(captured.out()).toContain('Done without it.');
    expect(listLastToolResults()[0]).toContain('was cancelled');
    expect(readLedger()).toBe('start\n');
  });

  it('repeats a pending permission question, and runs the call if it is allowed', async () => {
    scriptModel({ tool: 'write', args: { path: 'plan.md', content: 'two\n' } }, 'Written.');
    const interrupt = new AbortController();
    const captured = captureTerminalIo('');
    const { stderr } = captured.io;
    const write = stderr.write.bind(stderr);
    // The terminal closes without an answer.
    Object.assign(stderr, {
      write(chunk: string): boolean {
        if (chunk.includes('Run it?')) interrupt.abort();
        return write(chunk);
      },
    });
    const asked = createRunOptions({ mode: 'ask', signal: interrupt.signal });
    expect(await runGoal('Write it.', asked, captured.io)).toBe(130);
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('one\n');
    const { code, out } = await runResumeCommand(null, {}, captureTerminalIo('y'));
    expect(code).toBe(0);
    expect(out).toContain('Written.');
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('two\n');
  });

  it('sends a message to a waiting session, with the earlier conversation', async () => {
    scriptModel('The plan says one.', 'It still does.');
    await runGoal('What does the plan say?', createRunOptions(), captureIo().io);
    const waits = await runResumeCommand();
    expect(waits).toMatchObject({ code: 0, out: 'The plan says one.\n' });
    expect(waits.err).toMatch(/is waiting for input: pawl resume [\da-f]{8} "/);
    expect(server.asked).toHaveLength(1);
    const { code, out } = await runResumeCommand('And now?');
    expect(code).toBe(0);
    expect(out).toContain('It still does.');
    const userMessages = server.asked.at(-1)?.messages.filter(({ role }) => role === 'user') ?? [];
    expect(JSON.stringify(userMessages)).toContain('What does the plan say?');
    expect(JSON.stringify(userMessages)).toContain('And now?');
  });

  it('reports the failure of the last turn again, with its exit code, and asks the model for nothing', async () => {
    server.cuts = new Set([1, 2, 3]);
    expect(await runGoal('What does the plan say?', createRunOptions(), captureIo().io)).toBe(5);
    const asked = server.asked.length;
    const again = await runResumeCommand();
    expect(again).toMatchObject({ code: 5, out: '' });
    expect(again.err).toMatch(/lost the connection/);
    expect(again.err).toMatch(/is waiting for input: pawl resume [\da-f]{8} "/);
    const json = await runResumeCommand(null, { json: true });
    expect(json.code).toBe(5);
    expect(JSON.parse(json.out)).toMatchObject({
      type: 'result',
      status: 'failed',
      answer: null,
      modelCalls: 3,
    });
    expect(server.asked).toHaveLength(asked);
  });

  it('writes the last answer as JSON with --json', async () => {
    scriptModel('The plan says one.');
    await runGoal('What does the plan say?', createRunOptions(), captureIo().io);
    const { code, out } = await runResumeCommand(null, { json: true });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ status: 'answered', answer: 'The plan says one.', reason: null });
  });

  it('refuses a session that runs elsewhere, names its owner, and takes it over only with --take-over', async () => {
    scriptModel({ tool: 'shell', args: { command: slowCommand } }, 'Mine now.');
    const child = spawnPawl('run', ...getModelFlags(), 'Do it.');
    const err = child.stderr === null ? Promise.resolve('') : text(child.stderr);
    await waitForCondition(() => readLedger() === 'start\n');
    await expect(runResumeCommand()).rejects.toThrow(
      new RegExp(`is running .*pid=${child.pid} .*--take-over`),
    );
    const { code, out } = await runResumeCommand(null, { takeOver: true });
    expect(code).toBe(0);
    expect(out).toContain('Mine now.');
    expect(readLedger()).toBe('start\n');
    expect(await err).toContain('Another owner holds the session');
  });

  it('refuses a database that came with a folder without --trust-store', async () => {
    scriptModel('One.', 'Two.');
    await runGoal('Go.', createRunOptions(), captureIo().io);
    const copy = join(folder, 'copy.db');
    await writeFile(copy, readFileSync(getStorePath()));
    const there = { store: copy };
    await expect(runResumeCommand('Go on.', there)).rejects.toThrow(/was not created .*--trust-store/);
    expect(server.asked).toHaveLength(1);
    expect((await runResumeCommand('Go on.', { ...there, trustStore: true })).code).toBe(0);
    expect((await runResumeCommand('Go on.', there)).code).toBe(0);
  });

  it('reports in one line why a session cannot be resumed', async () => {
    await expect(runResumeCommand()).rejects.toThrow(/No session has run in/);
    appendFileSync(
      join(folder, 'broken.db'),
      'this is no database, but it is long enough to be taken for one',
    );
    await expect(runResumeCommand(null, { store: join(folder, 'broken.db') })).rejects.toThrow(/broken\.db/);
    await expect(runResumeCommand(null, { store: 'https://example.com' })).rejects.toThrow(
      /not a valid session store/,
    );
  });

  it('saves nothing with --store none, and prints no resume hint', async () => {
    scriptModel('One.');
    expect(await runGoal('Go.', createRunOptions({ store: 'none' }), captureIo().io)).toBe(0);
    expect(existsSync(getStorePath())).toBe(false);
  });

  it('saves sessions in .pawl with --store workspace, private and ignored by git', async () => {
    scriptModel('One.');
    expect(await runGoal('Go.', createRunOptions({ store: 'workspace' }), captureIo().io)).toBe(0);
    expect(readFileSync(join(folder, '.pawl', '.gitignore'), 'utf8')).toBe('*\n');
    const kept = openSqliteStore(join(folder, '.pawl', 'sessions.db'));
    expect(await kept.list()).toMatchObject([
      { goal: 'Go.', metadata: { model: 'openai-compatible:m', mode: 'full-auto' } },
    ]);
    await kept.close();
  });
});
