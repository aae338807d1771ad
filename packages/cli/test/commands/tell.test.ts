import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Event } from '@pawl/core';
import { openSqliteStore, type Store } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRedisStore } from '@pawl/worker';
import { startRedis } from '../../../worker/test/redis-server.ts';
import { startChat, runGoal, type RunOptions } from '../../src/run/start-run.ts';
import { main } from '../../src/main.ts';
import { allowCalls, allowShell } from '../allow-calls.ts';
import { captureIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer, type ScriptedSay } from '../openai-server.ts';
import { openTmuxPane } from '../tui/fixtures/tmux.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');

let folder = '';
let server: OpenAiServer;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-tell-')));
  writeFileSync(join(folder, 'plan.md'), 'one\n');
  server = await startOpenAiServer();
  allowCalls(allowShell(slowCommand));
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  server.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const getStorePath = (): string => join(folder, 'kept', 'sessions.db');
const readPlan = (): string => readFileSync(join(folder, 'plan.md'), 'utf8');
const getLocationFlags = (): readonly string[] => ['--store', getStorePath(), '--dir', folder];
const getModelFlags = (): readonly string[] => ['--model', 'openai-compatible:m', '--base-url', server.url];
const writeCall: ScriptedSay = { tool: 'write', args: { path: 'plan.md', content: 'two\n' } };
const slowCommand = 'touch begun; sleep 600';
const slowCall: ScriptedSay = { tool: 'shell', args: { command: slowCommand } };

function scriptModel(...says: readonly ScriptedSay[]): void {
  server.says = (request) => says[request - 1] ?? 'Nothing is left to say.';
}

type ProcessResult = { readonly code: number | null; readonly out: string; readonly err: string };

/** Runs pawl in a separate process. */
function spawnPawl(...args: readonly string[]): {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessResult>;
} {
  const child = spawn(process.execPath, [bin, ...args, ...getLocationFlags()], {
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

/** Runs pawl in this process. */
async function runPawlInProcess(command: string, ...args: readonly string[]): Promise<ProcessResult> {
  const { io, out, err } = captureIo();
  const code = await main([command, ...getLocationFlags(), ...args], io);
  return { code, out: out(), err: err() };
}

function openTestStore(): Store {
  const store = openSqliteStore(getStorePath());
  cleanUps.push(() => store.close());
  return store;
}

async function listStoredEvents(store: Store): Promise<readonly Event[]> {
  const [session] = await store.list();
  const found: Event[] = [];
  for await (const { event } of store.events(session?.id ?? '')) found.push(event);
  return found;
}

async function readSessionStatus(store: Store): Promise<string | undefined> {
  return (await store.list())[0]?.status;
}

const createRunOptions = (more: Partial<RunOptions> = {}): RunOptions => ({
  dir: folder,
  store: getStorePath(),
  model: 'openai-compatible:m',
  baseUrl: server.url,
  ...more,
});

/** A terminal user who never answers. */
function createSilentTerminal(): ReturnType<typeof captureIo> {
  const captured = captureIo();
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(captured.io.stderr, { isTTY: true });
  return { ...captured, io: { ...captured.io, stdin, stderr } };
}

describe('pawl tell, from another process', { tags: ['tmux'] }, () => {
  it('allows a call that a terminal asks about; the question disappears and the run continues', async () => {
    scriptModel(writeCall, 'It is changed.');
    const words = [
      process.execPath,
      bin,
      'run',
      ...getModelFlags(),
      'Change the plan.',
      ...getLocationFlags(),
    ];
    const socket = join(folder, 'tmux');
    const pane = await openTmuxPane(words, { columns: 100, rows: 30, socket });
    cleanUps.push(() => pane.close());
    await pane.waitForText('May this run?');
    expect(readPlan()).toBe('one\n');
    const sent = await spawnPawl('tell', 'last', 'allow', '--json').ended;
    expect(sent).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(sent.out)).toMatchObject({
      command: { kind: 'decide', decision: 'allow' },
      runs: 'alive',
    });
    const screen = await pane.waitForText('ended with 0');
    expect(screen).toContain('It is changed.');
    expect(readPlan()).toBe('two\n');
  });
});

describe('pawl tell', () => {
  it('denies a call that a terminal asks about, with the reason, once', async () => {
    scriptModel(writeCall, 'Then I leave it.');
    const { io, out, err } = createSilentTerminal();
    const running = runGoal('Change the plan.', createRunOptions({ plain: true }), io);
    await expect.poll(err).toContain('Run it?');
    const sent = await runPawlInProcess('tell', 'last', 'deny', '--reason', 'not on a Friday');
    expect(sent).toMatchObject({ code: 0, out: expect.stringContaining('Queued. The process that runs') });
    expect(await running).toBe(0);
    expect(out()).toContain('Then I leave it.');
    expect(readPlan()).toBe('one\n');
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('not on a Friday');
    const decided = (await listStoredEvents(openTestStore())).filter(
      ({ type }) => type === 'permission-decided',
    );
    expect(decided).toMatchObject([{ decision: 'deny', reason: 'not on a Friday' }]);
  });

  it('pauses, resumes, steers and cancels the run of another process', async () => {
    scriptModel(slowCall, 'I was told.');
    const { ended } = spawnPawl('run', '--quiet', '--mode', 'full-auto', ...getModelFlags(), 'Wait.');
    await expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true);
    const store = openTestStore();
    expect(await runPawlInProcess('tell', 'last', 'pause')).toMatchObject({ code: 0 });
    await expect.poll(() => readSessionStatus(store)).toBe('paused');
    expect(await runPawlInProcess('tell', 'last', 'resume')).toMatchObject({ code: 0 });
    await expect.poll(() => readSessionStatus(store)).toBe('executingTools');
    await runPawlInProcess('tell', 'last', 'say', 'Be', 'quick.');
    await runPawlInProcess('tell', 'last', 'phase', '2', 'Waiting', 'less');
    await expect
      .poll(async () => (await listStoredEvents(store)).at(-1))
      .toMatchObject({ type: 'phase-started' });
    expect(await runPawlInProcess('tell', 'last', 'cancel')).toMatchObject({ code: 0 });
    expect(await ended).toMatchObject({ code: 130, err: expect.stringContaining('Cancelled.') });
    const kept = await listStoredEvents(store);
    const asked = kept.filter(
      ({ type }) => !['user-message', 'model-replied', 'tool-started'].includes(type),
    );
    expect(asked).toMatchObject([
      { type: 'pause-requested', reason: 'requested by the user' },
      { type: 'resume-requested' },
      { type: 'steered', text: 'Be quick.' },
      { type: 'phase-started', number: 2, description: 'Waiting less' },
      { type: 'cancel-requested' },
    ]);
  });

  it('closes a session', async () => {
    scriptModel(slowCall);
    const { ended } = spawnPawl('run', '--quiet', '--mode', 'full-auto', ...getModelFlags(), 'Wait.');
    await expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true);
    await runPawlInProcess('tell', 'last', 'halt', '--reason', 'the branch is gone');
    expect(await ended).toMatchObject({
      code: 130,
      err: expect.stringContaining('Stopped on request: the branch is gone'),
    });
    expect(await runPawlInProcess('tell', 'last', 'say', 'Hello?')).toMatchObject({
      code: 2,
      err: expect.stringContaining('the session has ended'),
    });
  });

  it('reports that no process runs the session; resuming it applies the command', async () => {
    scriptModel('One.', 'Two.');
    expect(await spawnPawl('run', '--quiet', ...getModelFlags(), 'Begin.').ended).toMatchObject({
      out: 'One.\n',
    });
    const sent = await runPawlInProcess('tell', 'last', 'say', 'And then?');
    expect(sent).toMatchObject({
      code: 0,
      out: expect.stringMatching(/no process runs .* pawl resume [\da-f]{8}\n/),
    });
    expect(await spawnPawl('resume', '--quiet').ended).toMatchObject({ code: 0, out: 'Two.\n' });
    expect(JSON.stringify(server.asked.at(-1)?.messages)).toContain('And then?');
    expect(await spawnPawl('resume').ended).toMatchObject({ code: 0, out: 'Two.\n' });
    expect(server.asked).toHaveLength(2);
  });

  it('answers an open question; the resumed session does not ask again', async () => {
    scriptModel(writeCall, 'It is changed.');
    const { io, err } = createSilentTerminal();
    const leaving = new AbortController();
    const running = runGoal(
      'Change the plan.',
      createRunOptions({ plain: true, signal: leaving.signal }),
      io,
    );
    await expect.poll(err).toContain('Run it?');
    leaving.abort();
    expect(await running).toBe(130);
    expect(await runPawlInProcess('tell', 'last', 'allow')).toMatchObject({ code: 0 });
    expect(await runPawlInProcess('resume', '--quiet')).toMatchObject({ code: 0, out: 'It is changed.\n' });
    expect(readPlan()).toBe('two\n');
    const kinds = (await listStoredEvents(openTestStore())).map(({ type }) => type);
    expect(kinds.filter((kind) => kind === 'permission-decided')).toHaveLength(1);
  });

  it('sends a message to a line-based chat, which answers there', async () => {
    server.says = (request) => `answer ${request}`;
    const { io, out } = captureIo();
    const stdin = new PassThrough();
    const chat = startChat('one', createRunOptions({ quiet: true }), { ...io, stdin });
    await expect.poll(out).toBe('answer 1\n');
    await runPawlInProcess('tell', 'last', 'say', 'two');
    await expect.poll(out).toBe('answer 1\nanswer 2\n');
    stdin.end('three\n');
    expect(await chat).toBe(0);
    expect(out()).toBe('answer 1\nanswer 2\nanswer 3\n');
  });
});

describe('pawl tell, in Redis', { tags: ['redis'] }, () => {
  it('wakes a worker for a submitted session, and names the owner of any other', async () => {
    const redis = await startRedis({ appendfsync: 'everysec' });
    cleanUps.push(() => redis.stop());
    const pawlThere = async (...args: readonly string[]): Promise<ProcessResult> => {
      const { io, out, err } = captureIo();
      const code = await main([...args, '--store', redis.url, '--dir', folder, '--json'], io);
      return { code, out: out(), err: err() };
    };
    const submitted = await pawlThere('submit', 'Look around.');
    const { id } = JSON.parse(submitted.out) as { readonly id: string };
    const sent = await pawlThere('tell', id, 'say', 'And quickly.');
    expect(JSON.parse(sent.out)).toMatchObject({ id, runs: 'worker' });
    scriptModel('One.');
    await pawlThere('run', ...getModelFlags(), 'Begin.');
    const [mine] = (await pawlThere('sessions')).out.trim().split('\n');
    const own = (JSON.parse(mine ?? '') as { readonly id: string }).id;
    expect(own).not.toBe(id);
    const also = await pawlThere('tell', own, 'say', 'More.');
    expect(JSON.parse(also.out)).toMatchObject({ id: own, runs: 'alive' });
    const store = await openRedisStore(redis.url);
    cleanUps.push(() => store.close());
    expect(await store.commands.listPending(id)).toMatchObject([
      { command: { kind: 'say', text: 'And quickly.' } },
    ]);
    expect(await store.commands.listPending(own)).toHaveLength(1);
  });
});

async function runPawlWithWorkers(...args: readonly string[]): Promise<ProcessResult> {
  const { io, out, err } = captureIo();
  const code = await main([...args, '--dir', folder, '--json'], io);
  return { code, out: out(), err: err() };
}

async function submitTestGoal(): Promise<string> {
  const { out } = await runPawlWithWorkers('submit', 'Look around.');
  return (JSON.parse(out) as { readonly id: string }).id;
}

describe('pawl queue with the commands of pawl tell', { tags: ['redis'] }, () => {
  it('sends the same command as pawl tell, to the Redis of the workers', async () => {
    const redis = await startRedis({ appendfsync: 'everysec' });
    cleanUps.push(() => redis.stop());
    vi.stubEnv('PAWL_REDIS_URL', redis.url);
    const [one, other] = [await submitTestGoal(), await submitTestGoal()];
    for (const [name, ...words] of [
      ['say', 'Be quick.'],
      ['finish', '--reason', 'it is late'],
      ['cancel'],
      ['halt'],
    ] as const) {
      const byAlias = await runPawlWithWorkers('queue', name, one, ...words);
      const byTell = await runPawlWithWorkers('tell', other, name, ...words, '--store', redis.url);
      expect([byAlias, byTell]).toMatchObject([
        { code: 0, err: '' },
        { code: 0, err: '' },
      ]);
      const { command, runs } = JSON.parse(byTell.out) as { readonly command: object; readonly runs: string };
      expect(JSON.parse(byAlias.out)).toEqual({ id: one, command, runs, sent: expect.any(String) as string });
      expect(runs).toBe('worker');
    }
    for (const decision of ['allow', 'deny'])
      expect(await runPawlWithWorkers('queue', decision, one, 'call_1')).toMatchObject({
        code: 2,
        err: expect.stringContaining('has no pending calls'),
      });
  });

  it('is rejected without a Redis', async () => {
    vi.stubEnv('PAWL_REDIS_URL', undefined);
    const { io, err } = captureIo();
    expect(await main(['queue', 'say', 'last', 'Hello', '--dir', folder], io)).toBe(2);
    expect(err()).toContain('Workers need a shared Redis');
  });

  it('is not in the help', async () => {
    const { io, out } = captureIo();
    expect(await main(['queue', '--help'], io)).toBe(0);
    expect(out()).toMatch(/^ {2}retry /m);
    expect(out()).not.toMatch(/^ {2}(?:say|allow|deny|cancel|finish|halt) /m);
  });
});

describe('pawl tell with invalid arguments', () => {
  beforeEach(async () => {
    scriptModel('One.');
    await runGoal('Begin.', createRunOptions({ quiet: true }), captureIo().io);
  });

  it.each([
    [['last', 'allow'], 'has no pending calls'],
    [['last', 'resume'], 'nothing is under way'],
    [['last', 'pause', 'now'], 'Use --reason to give a reason'],
    [['last', 'say'], 'say requires <text>'],
    [['last', 'phase', 'two', 'Go on'], 'must be a whole number of at least 1, got "two"'],
    [['last', 'phase', '2'], 'phase requires'],
    [['last', 'evict', 'plan'], 'there is no plan in working memory. Show its state'],
    [['last', 'dance'], 'Allowed choices are say, allow'],
    [['nobody', 'pause'], 'There is no session "nobody"'],
    [['last'], "missing required argument 'what'"],
  ])('is answered with what to do: %j', async (args, message) => {
    const { code, out, err } = await runPawlInProcess('tell', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    const store = openTestStore();
    const [session] = await store.list();
    expect(await store.commands.listPending(session?.id ?? '')).toEqual([]);
  });
});
