import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getConversation } from '@pawl/core';
import { findTurnAnswer } from '@pawl/runtime';
import type { OpenedSession, Store } from '@pawl/runtime/store';
import { connectRedis, openRedisStore } from '@pawl/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startRedis, type RedisServer } from '../../../worker/test/redis-server.ts';
import { dropQueuedSession, retryParkedSession, showQueue } from '../../src/commands/queue/action.ts';
import { showSession } from '../../src/commands/show/action.ts';
import { submitGoal, type SubmitGoalOptions } from '../../src/commands/submit/action.ts';
import { sendSessionCommand } from '../../src/commands/tell/action.ts';
import { runWorker } from '../../src/commands/worker/action.ts';
import { allowCalls, allowShell } from '../allow-calls.ts';
import { captureIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer, type ScriptedSay } from '../openai-server.ts';
import { parseCommandLine } from '../whole-program.ts';

const bin = join(import.meta.dirname, '../../bin/pawl.js');

const createWriteCall = (content: string): ScriptedSay => ({
  tool: 'write',
  args: { path: 'plan.md', content },
});

function waitForCondition(holds: () => Promise<boolean> | boolean): Promise<void> {
  return expect.poll(holds).toBe(true);
}

describe('pawl with workers', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let store: Store;
  let folder = '';
  const cleanUps: (() => unknown)[] = [];

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
    store = await openRedisStore(server.url);
  });

  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pawl-queue-'));
    writeFileSync(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
    rmSync(folder, { recursive: true, force: true });
  });

  const flags = (more: Partial<SubmitGoalOptions> = {}): SubmitGoalOptions => ({
    dir: folder,
    store: server.url,
    ...more,
  });

  async function submit(goal: string, more: Partial<SubmitGoalOptions> = {}): Promise<string> {
    const captured = captureIo();
    expect(await submitGoal(goal, flags(more), captured.io)).toBe(0);
    return captured.out().trim();
  }

  /** A worker in this process; it ends with the test. */
  function startWork(dir = folder): { readonly out: () => string; end(): Promise<number> } {
    const stop = new AbortController();
    const captured = captureIo();
    const times = { concurrency: '2', lease: '300', grace: '1' };
    const ended = runWorker({ dir, store: server.url, ...times, signal: stop.signal }, captured.io);
    const end = (): Promise<number> => {
      stop.abort();
      return ended;
    };
    cleanUps.push(end);
    return { out: captured.out, end };
  }

  async function untilIn(id: string, status: string): Promise<OpenedSession> {
    await waitForCondition(async () => (await store.open(id)).session.turn.status === status);
    return store.open(id);
  }

  async function queueAsJson(): Promise<{
    parked: { session: string; reason: string }[];
    tenants: object[];
  }> {
    const captured = captureIo();
    expect(await showQueue({ dir: folder, store: server.url, json: true }, captured.io)).toBe(0);
    return JSON.parse(captured.out()) as { parked: { session: string; reason: string }[]; tenants: object[] };
  }

  it('runs a submitted goal on a worker that starts later', async () => {
    const id = await submit('When is the garden party?');
    expect((await store.open(id)).session.turn.status).toBe('callingModel');
    expect((await queueAsJson()).tenants).toMatchObject([
      { tenant: 'default', waiting: 1, active: 0, stalled: 0 },
    ]);
    const worker = startWork();
    const { session, metadata } = await untilIn(id, 'waitingForUser');
    expect(findTurnAnswer(getConversation(session))).toContain('ninth of June');
    expect(metadata).toMatchObject({ dir: folder, model: 'librarian', worker: { tenant: 'default' } });
    await waitForCondition(() => worker.out().includes(`idle: ${id}`));
    const captured = captureIo();
    await sendSessionCommand(id, { what: 'halt', words: [] }, { ...flags(), reason: 'enough' }, captured.io);
    expect((await untilIn(id, 'halted')).session.turn).toMatchObject({ haltReason: { reason: 'enough' } });
    expect(await worker.end()).toBe(0);
  });

  it('parks a session of another folder, and retries or drops it on command', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'pawl-elsewhere-'));
    cleanUps.push(() => rmSync(elsewhere, { recursive: true, force: true }));
    const id = await submit('When is the garden party?');
    const wrong = startWork(elsewhere);
    await waitForCondition(async () => (await queueAsJson()).parked.length > 0);
    expect((await queueAsJson()).parked).toMatchObject([
      { session: id, reason: expect.stringContaining(`The session works in ${folder}`) },
    ]);
    await wrong.end();
    const captured = captureIo();
    await retryParkedSession(id, { dir: folder, store: server.url }, captured.io);
    expect(captured.out()).toContain('is queued again');
    expect((await queueAsJson()).parked).toEqual([]);
    await dropQueuedSession(id, { dir: folder, store: server.url }, captured.io);
    expect((await queueAsJson()).parked).toMatchObject([{ session: id, reason: 'dropped manually' }]);
    startWork();
    const other = await submit('When is the party?');
    await untilIn(other, 'waitingForUser');
    expect((await store.open(id)).session.turn.status).toBe('callingModel');
  });

  it.each<[string, Partial<SubmitGoalOptions>, string]>([
    ['no Redis', { store: 'user' }, '--store redis://'],
    ['a bad address', { store: 'redis://' }, 'redis://127.0.0.1:6379'],
    [
      'a Redis that is not there',
      { store: 'redis://127.0.0.1:1' },
      'Redis at 127.0.0.1:1 (it cannot be reached',
    ],
    ['a folder that is not there', { dir: '/nowhere/at/all' }, 'Folder "/nowhere/at/all" does not exist'],
    ['a tenant that is none', { tenant: 'a b' }, '--tenant'],
    ['a priority that is none', { priority: '0' }, '--priority'],
    ['too high a priority', { priority: '9999999' }, '2097151'],
    ['a delay that is none', { delay: 'soon' }, '--delay'],
    ['a profile with files of its own', { profile: 'lkj' }, 'pawl run --profile lkj'],
  ])('says what is wrong with %s', async (_, more, reason) => {
    await expect(submitGoal('Do it.', flags(more), captureIo().io)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(reason),
    });
  });

  it('rejects a Redis without persistence unless --allow-loss is given', async () => {
    const careless = await startRedis({ appendonly: 'no' });
    cleanUps.push(() => careless.stop());
    await expect(submit('Do it.', { store: careless.url })).rejects.toThrow('appendonly yes');
    const captured = captureIo();
    expect(await submitGoal('Do it.', flags({ store: careless.url, allowLoss: true }), captured.io)).toBe(0);
    expect(captured.err()).toContain('appendonly yes');
  });

  it('shows the queue by default', async () => {
    process.env['PAWL_REDIS_URL'] = server.url;
    cleanUps.push(() => delete process.env['PAWL_REDIS_URL']);
    expect(await parseCommandLine(['queue'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('default: '),
    });
    expect((await parseCommandLine(['queue', 'retry'])).code).toBe(2);
  });

  describe('with real processes', () => {
    let model: OpenAiServer;
    const children: ChildProcess[] = [];

    beforeEach(async () => {
      model = await startOpenAiServer();
      cleanUps.push(() => model.close());
      cleanUps.push(() => children.splice(0).map((child) => child.kill('SIGKILL')));
    });

    function worker(): ChildProcess {
      const args = [bin, 'worker', '--store', server.url, '--dir', folder, '--lease', '8'];
      const env = { ...process.env, OPENAI_COMPATIBLE_API_KEY: 'none' };
      const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
      children.push(child);
      return child;
    }

    it('asks for permission from any machine, and writes only what is allowed', async () => {
      const says = [createWriteCall('one\n'), createWriteCall('two\n'), 'Written.'];
      model.says = (request) => says[request - 1] ?? 'Nothing is left to say.';
      const id = await submit('Do it.', { model: 'openai-compatible:m', baseUrl: model.url, mode: 'ask' });
      startWork();
      for (const decision of ['deny', 'allow'] as const) {
        const { session } = await untilIn(id, 'awaitingPermission');
        const { turn } = session;
        const callId = turn.status === 'awaitingPermission' ? (turn.calls[0]?.call.id ?? '') : '';
        expect(existsSync(join(folder, 'plan.md'))).toBe(false);
        await sendSessionCommand(id, { what: decision, words: [callId] }, flags(), captureIo().io);
        await waitForCondition(async () => (await store.open(id)).head > session.seq);
      }
      await untilIn(id, 'waitingForUser');
      expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('two\n');
    });

    it('continues on another worker when one is killed, and runs no command twice [SAV-54]', async () => {
      const command = 'echo start >> ledger; sleep 600; echo end >> ledger';
      allowCalls(allowShell(command));
      const says = [{ tool: 'shell', args: { command } }, 'It was cut off; I leave it.'];
      model.says = (request) => says[request - 1] ?? 'Nothing is left to say.';
      const id = await submit('Do it.', {
        model: 'openai-compatible:m',
        baseUrl: model.url,
        mode: 'full-auto',
      });
      const first = worker();
      await waitForCondition(() => existsSync(join(folder, 'ledger')));
      const { owner } = await store.open(id);
      expect(owner).toContain(`pid=${first.pid}`);
      const second = worker();
      first.kill('SIGKILL');
      await once(first, 'exit');
      // Simulate that the first worker's lease has expired.
      const { redis, close } = await connectRedis(server.url);
      cleanUps.push(close);
      await redis.del(...(await redis.keys('{pawl.default}:*:lock')));
      const { session, owner: next } = await untilIn(id, 'waitingForUser');
      expect(next).toContain(`pid=${second.pid}`);
      expect(findTurnAnswer(getConversation(session))).toBe('It was cut off; I leave it.');
      expect(readFileSync(join(folder, 'ledger'), 'utf8')).toBe('start\n');
      const shown = captureIo();
      await showSession(id, { dir: folder, store: server.url }, shown.io);
      const hands = new RegExp(`taken over +once: by \\S+:${second.pid} from \\S+:${first.pid} at `);
      expect(shown.out()).toMatch(hands);
      second.kill('SIGTERM');
      const [code] = (await once(second, 'exit')) as [number | null];
      expect(code).toBe(0);
    });
  });
});
