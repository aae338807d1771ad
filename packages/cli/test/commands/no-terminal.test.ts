import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { exitCodes } from '../../src/output/exit-codes.ts';
import { main } from '../../src/main.ts';
import { allowCalls, allowShell } from '../allow-calls.ts';
import { captureIo, captureTerminalIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer, type ScriptedSay } from '../openai-server.ts';
import { runGoal, startChat } from '../../src/run/start-run.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');
const waitingCommand = 'touch begun; until [ -e go ]; do sleep 0.05; done; echo done waiting';
const waitingCall: ScriptedSay = { tool: 'shell', args: { command: waitingCommand } };
const writeCall: ScriptedSay = { tool: 'write', args: { path: 'plan.md', content: 'two\n' } };

let folder = '';
let server: OpenAiServer;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-unattended-')));
  writeFileSync(join(folder, 'plan.md'), 'one\n');
  server = await startOpenAiServer();
  allowCalls(allowShell(waitingCommand));
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  server.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function scriptModel(...says: readonly ScriptedSay[]): void {
  server.says = (request) => says[request - 1] ?? 'Nothing is left to say.';
}

type ProcessResult = { readonly code: number | null; readonly out: string; readonly err: string };

const getStoreFlags = (): readonly string[] => ['--store', join(folder, 'sessions.db'), '--dir', folder];

async function runPawl(...args: readonly string[]): Promise<ProcessResult> {
  const { io, out, err } = captureIo();
  const code = await main([...args, ...getStoreFlags()], io);
  return { code, out: out(), err: err() };
}

/** A process without a terminal: its standard input is closed or stays open, its output goes to pipes. */
function spawnPawl(stdin: 'ignore' | 'pipe', ...args: readonly string[]): Promise<ProcessResult> {
  const child = spawn(process.execPath, [bin, ...args, ...getStoreFlags()], {
    cwd: folder,
    stdio: [stdin, 'pipe', 'pipe'],
  });
  cleanUps.push(() => child.kill('SIGKILL'));
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return Promise.all([
    code,
    text(child.stdout ?? new PassThrough()),
    text(child.stderr ?? new PassThrough()),
  ]).then(([end, out, err]) => ({ code: end, out, err }));
}

const createRunOptions = (): Parameters<typeof runGoal>[1] => ({
  dir: folder,
  store: join(folder, 'sessions.db'),
  model: 'openai-compatible:m',
  baseUrl: server.url,
});

const getModelFlags = (): readonly string[] => ['--model', 'openai-compatible:m', '--base-url', server.url];
const pausedMessage =
  /^pawl: The session is paused \(requested by the user\) and waits for a person to resume it\. The session is saved; continue with: pawl tell ([\da-f]{8}) resume && pawl resume \1$/m;

/** Leaves a session that waits for a permission. */
async function leaveAtQuestion(): Promise<void> {
  scriptModel(writeCall, 'It is done.');
  const leaving = new AbortController();
  const captured = captureTerminalIo('');
  const write = captured.io.stderr.write.bind(captured.io.stderr);
  Object.assign(captured.io.stderr, {
    write(chunk: string): boolean {
      if (chunk.includes('Run it?')) leaving.abort();
      return write(chunk);
    },
  });
  const options = { ...createRunOptions(), plain: true, signal: leaving.signal };
  expect(await runGoal('Change the plan.', options, captured.io)).toBe(130);
}

describe('without a terminal', () => {
  it.each(['ignore', 'pipe'] as const)(
    'a run that another process pauses ends once its call has ended, and continues later (stdin: %s)',
    async (stdin) => {
      scriptModel(waitingCall, 'It waited.');
      const ended = spawnPawl(stdin, 'run', '--mode', 'full-auto', ...getModelFlags(), 'Wait.');
      await expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true);
      expect(await runPawl('tell', 'last', 'pause')).toMatchObject({ code: 0 });
      await expect.poll(async () => (await runPawl('sessions', '--json')).out).toContain('"paused"');
      writeFileSync(join(folder, 'go'), '');
      const { code, err } = await ended;
      expect(code).toBe(130);
      expect(err).toMatch(pausedMessage);
      expect(server.asked).toHaveLength(1);
      expect(await runPawl('tell', 'last', 'resume')).toMatchObject({ code: 0 });
      expect(await runPawl('resume', '--quiet')).toMatchObject({ code: 0, out: 'It waited.\n' });
      expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('done waiting');
    },
  );

  it.each([[], ['--plain'], ['--quiet'], ['--json']])(
    'resuming a paused session ends, whether the pause is stored or still pending: %j',
    async (...flags) => {
      await leaveAtQuestion();
      await runPawl('tell', 'last', 'pause');
      const first = await runPawl('resume', ...flags);
      const second = await runPawl('resume', ...flags);
      for (const { code, out, err } of [first, second]) {
        expect(code).toBe(130);
        if (flags[0] !== '--json') expect(err).toMatch(pausedMessage);
        else
          expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
            type: 'result',
            status: 'interrupted',
            reason: expect.stringMatching(/The session is paused .* pawl tell [\da-f]{8} resume/) as string,
          });
      }
      await runPawl('tell', 'last', 'resume');
      expect(await runPawl('resume', '--quiet')).toMatchObject({ code: 0, out: 'It is done.\n' });
    },
  );

  it('keeps a message sent to a paused session', async () => {
    await leaveAtQuestion();
    await runPawl('tell', 'last', 'pause');
    expect((await runPawl('resume', 'last', 'Be quick.')).code).toBe(130);
    await runPawl('tell', 'last', 'resume');
    expect((await runPawl('resume', '--quiet')).code).toBe(0);
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('Be quick.');
  });

  it('a line chat ends when it is paused while it waits for input', async () => {
    scriptModel('One.');
    const { io, out, err } = captureIo();
    const chat = startChat(
      'Begin.',
      { ...createRunOptions(), quiet: true },
      { ...io, stdin: new PassThrough() },
    );
    await expect.poll(out).toBe('One.\n');
    await runPawl('tell', 'last', 'pause');
    expect(await chat).toBe(130);
    expect(err()).toMatch(pausedMessage);
  });

  it('a permission question that was open is denied, and the run ends', async () => {
    await leaveAtQuestion();
    expect(await runPawl('resume', '--quiet')).toMatchObject({ code: 0, out: 'It is done.\n' });
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('no user is available to ask');
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('one\n');
  });

  it('a run whose calls are all denied says how to allow them', async () => {
    server.says = () => writeCall;
    const { code, err } = await runPawl('run', '--quiet', ...getModelFlags(), 'Write.');
    expect(code).toBe(exitCodes.denied);
    expect(err).toContain('Every tool call was denied. To allow calls, use --mode auto-edit or full-auto');
  });

  it('a question of the model is answered with a failure, and the run ends', async () => {
    scriptModel({ tool: 'ask_user', args: { question: 'Which one?' } }, 'I took the first.');
    const ended = await runPawl('run', '--quiet', ...getModelFlags(), 'Choose.');
    expect(ended).toMatchObject({ code: 0, out: 'I took the first.\n' });
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('No user is available');
  });
});
