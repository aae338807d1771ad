import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Event } from '@pawl/core';
import { openSqliteStore, type Store } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRedisStore } from '@pawl/worker';
import { hasRedis, startRedis } from '../../../worker/test/redis-server.ts';
import { chat } from '../../src/commands/chat.ts';
import { run, type RunOptions } from '../../src/commands/run.ts';
import { main } from '../../src/main.ts';
import { captureIo } from '../captured-io.ts';
import { startOpenAiServer, type OpenAiServer, type Say } from '../openai-server.ts';
import { openPane, tmuxProblem } from '../tui/fixtures/tmux.ts';

const problem = tmuxProblem();
if (problem !== null) console.warn(`A test of two processes in a terminal is skipped: ${problem}`);

const bin = join(import.meta.dirname, '../../bin/pawl.js');
const patience = { timeout: 25_000 };

let folder = '';
let server: OpenAiServer;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-tell-')));
  writeFileSync(join(folder, 'plan.md'), 'one\n');
  server = await startOpenAiServer();
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'kept', 'sessions.db');
const plan = (): string => readFileSync(join(folder, 'plan.md'), 'utf8');
const places = (): readonly string[] => ['--store', file(), '--dir', folder];
const model = (): readonly string[] => ['--model', 'openai-compatible:m', '--base-url', server.url];
const write: Say = { tool: 'write', args: { path: 'plan.md', content: 'two\n' } };
const linger: Say = { tool: 'shell', args: { command: 'touch begun; sleep 60' } };

function script(...says: readonly Say[]): void {
  server.says = (request) => says[request - 1] ?? 'Nothing is left to say.';
}

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** A real process. */
function pawl(...args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [bin, ...args, ...places()], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanUps.push(() => child.kill('SIGKILL'));
  const code = new Promise<number | null>((done) => child.once('exit', done));
  const ended = Promise.all([code, text(child.stdout), text(child.stderr)]).then(([end, out, err]) => ({
    code: end,
    out,
    err,
  }));
  return { child, ended };
}

/** The same in this process. */
async function here(command: string, ...args: readonly string[]): Promise<Ended> {
  const { io, out, err } = captureIo();
  const code = await main([command, ...places(), ...args], io);
  return { code, out: out(), err: err() };
}

function open(): Store {
  const store = openSqliteStore(file());
  cleanUps.push(() => store.close());
  return store;
}

async function events(store: Store): Promise<readonly Event[]> {
  const [session] = await store.list();
  const found: Event[] = [];
  for await (const { event } of store.events(session?.id ?? '')) found.push(event);
  return found;
}

async function status(store: Store): Promise<string | undefined> {
  return (await store.list())[0]?.status;
}

const options = (more: Partial<RunOptions> = {}): RunOptions => ({
  dir: folder,
  store: file(),
  model: 'openai-compatible:m',
  baseUrl: server.url,
  ...more,
});

/** Somebody at a terminal who never answers. */
function silentTerminal(): ReturnType<typeof captureIo> {
  const captured = captureIo();
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(captured.io.stderr, { isTTY: true });
  return { ...captured, io: { ...captured.io, stdin, stderr } };
}

describe.skipIf(problem !== null)('pawl tell, from another process', () => {
  it(
    'allows what is asked in a terminal; the question goes away and the work goes on',
    { timeout: 90_000 },
    async () => {
      script(write, 'It is changed.');
      const words = [process.execPath, bin, 'run', ...model(), 'Change the plan.', ...places()];
      const socket = join(folder, 'tmux');
      const pane = await openPane(words, { columns: 100, rows: 30, socket });
      cleanUps.push(() => pane.close());
      await pane.until('May this run?');
      expect(plan()).toBe('one\n');
      const told = await pawl('tell', 'last', 'allow', '--json').ended;
      expect(told).toMatchObject({ code: 0, err: '' });
      expect(JSON.parse(told.out)).toMatchObject({
        command: { kind: 'decide', decision: 'allow' },
        runs: 'alive',
      });
      const screen = await pane.until('ended with 0');
      expect(screen).toContain('It is changed.');
      expect(plan()).toBe('two\n');
    },
  );
});

describe('pawl tell', () => {
  it('denies what is asked at a terminal, with the reason, once', async () => {
    script(write, 'Then I leave it.');
    const { io, out, err } = silentTerminal();
    const running = run('Change the plan.', options({ plain: true }), io);
    await expect.poll(err, patience).toContain('Run it?');
    const told = await here('tell', 'last', 'deny', '--reason', 'not on a Friday');
    expect(told).toMatchObject({ code: 0, out: expect.stringContaining('Kept. The process that runs') });
    expect(await running).toBe(0);
    expect(out()).toContain('Then I leave it.');
    expect(plan()).toBe('one\n');
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('not on a Friday');
    const decided = (await events(open())).filter(({ type }) => type === 'permission-decided');
    expect(decided).toMatchObject([{ decision: 'deny', reason: 'not on a Friday' }]);
  });

  it('pauses, resumes, steers and calls off what another process does', { timeout: 90_000 }, async () => {
    script(linger, 'I was told.');
    const { ended } = pawl('run', '--quiet', '--mode', 'full-auto', ...model(), 'Wait.');
    await expect.poll(() => existsSync(join(folder, 'begun')), patience).toBe(true);
    const store = open();
    expect(await here('tell', 'last', 'pause')).toMatchObject({ code: 0 });
    await expect.poll(() => status(store), patience).toBe('paused');
    expect(await here('tell', 'last', 'resume')).toMatchObject({ code: 0 });
    await expect.poll(() => status(store), patience).toBe('executingTools');
    await here('tell', 'last', 'say', 'Be', 'quick.');
    await here('tell', 'last', 'phase', '2', 'Waiting', 'less');
    await expect
      .poll(async () => (await events(store)).at(-1), patience)
      .toMatchObject({ type: 'phase-started' });
    expect(await here('tell', 'last', 'cancel')).toMatchObject({ code: 0 });
    expect(await ended).toMatchObject({ code: 130, err: expect.stringContaining('Called off.') });
    const kept = await events(store);
    const asked = kept.filter(
      ({ type }) => !['user-message', 'model-replied', 'tool-started'].includes(type),
    );
    expect(asked).toMatchObject([
      { type: 'pause-requested', reason: 'the user asked for it' },
      { type: 'resume-requested' },
      { type: 'steered', text: 'Be quick.' },
      { type: 'phase-started', number: 2, description: 'Waiting less' },
      { type: 'cancel-requested' },
    ]);
  });

  it('ends a session for good', { timeout: 60_000 }, async () => {
    script(linger);
    const { ended } = pawl('run', '--quiet', '--mode', 'full-auto', ...model(), 'Wait.');
    await expect.poll(() => existsSync(join(folder, 'begun')), patience).toBe(true);
    await here('tell', 'last', 'halt', '--reason', 'the branch is gone');
    expect(await ended).toMatchObject({
      code: 130,
      err: expect.stringContaining('Ended for good: the branch is gone'),
    });
    expect(await here('tell', 'last', 'say', 'Hello?')).toMatchObject({
      code: 2,
      err: expect.stringContaining('the session has ended'),
    });
  });

  it(
    'says so when nobody runs the session; resuming it carries out what was asked',
    { timeout: 60_000 },
    async () => {
      script('One.', 'Two.');
      expect(await pawl('run', '--quiet', ...model(), 'Begin.').ended).toMatchObject({ out: 'One.\n' });
      const told = await here('tell', 'last', 'say', 'And then?');
      expect(told).toMatchObject({
        code: 0,
        out: expect.stringMatching(/nobody runs .* pawl resume [\da-f]{8}\n/),
      });
      expect(await pawl('resume', '--quiet').ended).toMatchObject({ code: 0, out: 'Two.\n' });
      expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('And then?');
      expect(await pawl('resume').ended).toMatchObject({ code: 0, out: 'Two.\n' });
      expect(server.asked).toHaveLength(2);
    },
  );

  it('answers a question that was left open; whoever takes the session up asks nobody', async () => {
    script(write, 'It is changed.');
    const { io, err } = silentTerminal();
    const leaving = new AbortController();
    const running = run('Change the plan.', options({ plain: true, signal: leaving.signal }), io);
    await expect.poll(err, patience).toContain('Run it?');
    leaving.abort();
    expect(await running).toBe(130);
    expect(await here('tell', 'last', 'allow')).toMatchObject({ code: 0 });
    expect(await here('resume', '--quiet')).toMatchObject({ code: 0, out: 'It is changed.\n' });
    expect(plan()).toBe('two\n');
    const kinds = (await events(open())).map(({ type }) => type);
    expect(kinds.filter((kind) => kind === 'permission-decided')).toHaveLength(1);
  });

  it('says something in a conversation by lines, which answers it there', async () => {
    server.says = (request) => `answer ${request}`;
    const { io, out } = captureIo();
    const stdin = new PassThrough();
    const talking = chat('one', options({ quiet: true }), { ...io, stdin });
    await expect.poll(out, patience).toBe('answer 1\n');
    await here('tell', 'last', 'say', 'two');
    await expect.poll(out, patience).toBe('answer 1\nanswer 2\n');
    stdin.end('three\n');
    expect(await talking).toBe(0);
    expect(out()).toBe('answer 1\nanswer 2\nanswer 3\n');
  });
});

describe.skipIf(!hasRedis)('pawl tell, in Redis', () => {
  it('wakes a worker for a session that is for workers, and says who runs any other', async () => {
    const redis = await startRedis({ appendfsync: 'everysec' });
    cleanUps.push(() => redis.stop());
    const pawlThere = async (...args: readonly string[]): Promise<Ended> => {
      const { io, out, err } = captureIo();
      const code = await main([...args, '--store', redis.url, '--dir', folder, '--json'], io);
      return { code, out: out(), err: err() };
    };
    const submitted = await pawlThere('submit', 'Look around.');
    const { id } = JSON.parse(submitted.out) as { readonly id: string };
    const told = await pawlThere('tell', id, 'say', 'And quickly.');
    expect(JSON.parse(told.out)).toMatchObject({ id, runs: 'worker' });
    script('One.');
    await pawlThere('run', ...model(), 'Begin.');
    const [mine] = (await pawlThere('sessions')).out.trim().split('\n');
    const own = (JSON.parse(mine ?? '') as { readonly id: string }).id;
    expect(own).not.toBe(id);
    const also = await pawlThere('tell', own, 'say', 'More.');
    expect(JSON.parse(also.out)).toMatchObject({ id: own, runs: 'alive' });
    const store = await openRedisStore(redis.url);
    cleanUps.push(() => store.close());
    expect(await store.commands.waiting(id)).toMatchObject([
      { command: { kind: 'say', text: 'And quickly.' } },
    ]);
    expect(await store.commands.waiting(own)).toHaveLength(1);
  });
});

describe('what pawl tell is not told right', () => {
  beforeEach(async () => {
    script('One.');
    await run('Begin.', options({ quiet: true }), captureIo().io);
  });

  it.each([
    [['last', 'allow'], 'asks about no call now'],
    [['last', 'resume'], 'nothing is under way'],
    [['last', 'pause', 'now'], 'say why with --reason'],
    [['last', 'say'], 'say needs <text>'],
    [['last', 'phase', 'two', 'Go on'], 'takes a whole number of at least 1, and got "two"'],
    [['last', 'phase', '2'], 'phase needs'],
    [['last', 'evict', 'plan'], 'there is no plan in working memory. See how'],
    [['last', 'dance'], 'Allowed choices are say, allow'],
    [['nobody', 'pause'], 'There is no session "nobody"'],
    [['last'], "missing required argument 'what'"],
  ])('is answered with what to do: %j', async (args, message) => {
    const { code, out, err } = await here('tell', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    const store = open();
    const [session] = await store.list();
    expect(await store.commands.waiting(session?.id ?? '')).toEqual([]);
  });
});
