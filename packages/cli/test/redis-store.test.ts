import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@pawl/runtime/store';
import { connectRedis, openRedisStore, type RedisConnection } from '@pawl/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requireProgram } from '../../../scripts/testing/programs.ts';
import { startRedis, type RedisServer } from '../../worker/test/redis-server.ts';
import { main } from '../src/main.ts';
import { captureIo } from './capture-io.ts';
import {
  saveRun,
  splitLines,
  successfulRun,
  stuckRun,
  type TestWorkspace,
  type PawlResult,
} from './commands/test-workspace.ts';
import { startOpenAiServer } from './openai-server.ts';

describe('commands on sessions in Redis', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let store: Store;
  let dir = '';
  const before = process.env['XDG_DATA_HOME'];
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
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-redis-store-')));
    writeFileSync(join(dir, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
    process.env['XDG_DATA_HOME'] = join(dir, 'data');
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
    for (const { id } of await store.list()) await store.remove(id);
    process.env['XDG_DATA_HOME'] = before;
    rmSync(dir, { recursive: true, force: true });
  });

  async function pawlOn(url: string, command: string, ...args: readonly string[]): Promise<PawlResult> {
    const { io, out, err } = captureIo();
    const code = await main([command, '--store', url, '--dir', dir, ...args], io);
    return { code, out: out(), err: err() };
  }

  const pawl = (command: string, ...args: readonly string[]): Promise<PawlResult> =>
    pawlOn(server.url, command, ...args);

  async function json(
    command: string,
    ...args: readonly string[]
  ): Promise<readonly Record<string, unknown>[]> {
    const { out } = await pawl(command, ...args, '--json');
    return splitLines(out).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async function connected(url: string): Promise<RedisConnection['redis']> {
    const { redis, close } = await connectRedis(url);
    cleanUps.push(close);
    return redis;
  }

  /** Aborts immediately, before the caller receives the model's answer. */
  const room = (bytes: string): void =>
    void execFileSync(requireProgram('redis-cli'), [
      '-p',
      String(server.port),
      'config',
      'set',
      'maxmemory',
      bytes,
    ]);

  const place = (): TestWorkspace => ({ dir, store }) as unknown as TestWorkspace;

  it('run, save, show, list and replay a session', async () => {
    const { code, out } = await pawl('run', 'When is the garden party?');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('ninth of June') });
    const [listed] = await json('sessions');
    expect(listed).toMatchObject({ goal: 'When is the garden party?', status: 'waitingForUser' });
    const id = String(listed?.['id']);
    expect((await pawl('show', 'last')).out).toContain('Ended: answered');
    expect((await json('show', id))[0]).toMatchObject({ type: 'session', id, model: 'librarian' });
    expect((await pawl('show', id, '--prompt', '1')).out).toContain('garden party');
    expect(await json('replay', id)).toMatchObject([{ type: 'replay', id, same: true }]);
  });

  it('resume a session that was started elsewhere', async () => {
    await pawl('run', 'When is the garden party?');
    // Another machine has another data folder and the same Redis.
    process.env['XDG_DATA_HOME'] = join(dir, 'elsewhere');
    const { code, out } = await pawl('resume', 'last', 'What is in garden.md?');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('garden') });
    const [listed] = await json('sessions');
    expect(listed).toMatchObject({ status: 'waitingForUser' });
    expect((await pawl('show', 'last')).out).toContain('What is in garden.md?');
  });

  it('fork, compare and export in every format', async () => {
    const id = await saveRun(place(), successfulRun);
    const [forked] = await json('fork', id, '--at', '4', '--say', 'Do something else.');
    const other = String(forked?.['id']);
    expect(forked).toMatchObject({ parent: { id, at: 4 } });
    expect((await pawl('diff', id, other)).out).toContain('4');
    expect(await json('replay', other)).toMatchObject([{ same: true }]);
    for (const form of ['json', 'jsonl', 'markdown']) {
      expect((await pawl('export', id, '--as', form)).out).toContain('The roof is mended.');
    }
    const file = join(dir, 'roof.test.ts');
    expect((await pawl('export', id, '--as', 'test', '--out', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('expect');
  });

  it('watch a session, from the start', async () => {
    const id = await saveRun(place(), successfulRun);
    const { code, out } = await pawl('watch', id, '--from-start', '--json');
    expect(code).toBe(0);
    expect(splitLines(out).map((line) => (JSON.parse(line) as { type: string }).type)).toContain('reply');
  });

  it('mark verdicts, and count them in the statistics', async () => {
    const id = await saveRun(place(), stuckRun);
    expect((await pawl('verdict', id)).code).toBe(0);
    expect((await pawl('verdict', id, 'wrong', '--note', 'it was there')).code).toBe(0);
    expect(await json('verdict', id)).toContainEqual(expect.objectContaining({ mark: 'wrong' }));
    const [stats] = await json('stats');
    expect(stats).toMatchObject({ sessions: { counted: 1 } });
    expect(JSON.stringify(stats)).toContain('"wrong":1');
  });

  it('remove sessions, by id and by age, with all their data', async () => {
    const redis = await connected(server.url);
    const id = await saveRun(place(), successfulRun);
    const old = await saveRun(place(), { ...successfulRun, start: 1_000_000_000_000 });
    const recent = await saveRun(place(), { ...successfulRun, start: Date.now() });
    expect(await json('prune', '--older-than', '4w', '--dry-run')).toMatchObject([{ id }, { id: old }]);
    expect((await pawl('prune', '--older-than', '4w', '--yes')).out).toContain(`Removed ${old}`);
    expect(await json('sessions')).toMatchObject([{ id: recent }]);
    expect((await pawl('rm', recent, '--yes')).out).toContain(`Removed ${recent}`);
    expect(await redis.keys('*')).toEqual(['pawl:fence']);
  });

  it('report an invalid address without revealing a password', async () => {
    const secret = await startRedis({ requirepass: 'right' });
    cleanUps.push(() => secret.stop());
    const wrong = secret.url.replace('right', 'wrong-secret');
    const problems: readonly (readonly [string, string])[] = [
      ['redis://', 'redis://127.0.0.1:6379'],
      ['redis://127.0.0.1:1', 'Redis at 127.0.0.1:1 (it cannot be reached'],
      [wrong, '(authentication failed: '],
    ];
    for (const [url, reason] of problems) {
      for (const command of [
        ['sessions'],
        ['run', 'When is the party?'],
        ['show', 'last'],
        ['prune', '--yes'],
      ]) {
        const [name = '', ...args] = command;
        const { code, out, err } = await pawlOn(url, name, ...args);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toContain(reason);
        expect(splitLines(err).filter((line) => line.startsWith('pawl: '))).toHaveLength(1);
        expect(err).not.toContain('wrong-secret');
      }
    }
    expect((await pawlOn(secret.url, 'sessions')).code).toBe(0);
  });

  it('reject a Redis without persistence before the run starts', async () => {
    const careless = await startRedis({ appendonly: 'no' });
    cleanUps.push(() => careless.stop());
    const { code, err } = await pawlOn(careless.url, 'run', 'When is the garden party?');
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('appendonly yes') });
    const redis = await connected(careless.url);
    expect(await redis.dbsize()).toBe(0);
  });

  it('report a full Redis before a run starts, and lose no data', async () => {
    const id = await saveRun(place(), successfulRun);
    const redis = await connected(server.url);
    const { head } = await store.open(id);
    await redis.config('SET', 'maxmemory', '1');
    cleanUps.push(() => redis.config('SET', 'maxmemory', '0'));
    const { code, err } = await pawl('run', 'When is the garden party?');
    expect(code).toBe(1);
    expect(err).toMatch(/The store is full: Redis \(OOM [^)]*'maxmemory'\.\)\. Nothing was stored\./);
    // Stored sessions can still be viewed.
    expect((await pawl('show', id)).out).toContain('The roof is mended.');
    expect(await json('replay', id)).toMatchObject([{ same: true }]);
    await redis.config('SET', 'maxmemory', '0');
    expect(await store.open(id)).toMatchObject({ head });
    expect((await pawl('run', 'When is the garden party?')).code).toBe(0);
  });

  it('wait during a session while Redis is full, and continue when there is room', async () => {
    const model = await startOpenAiServer();
    cleanUps.push(() => model.close());
    cleanUps.push(() => room('0'));
    model.says = () => {
      room('1');
      return 'On the ninth of June.';
    };
    const spec = ['--model', 'openai-compatible:m', '--base-url', model.url];
    const { io, out: outOf, err: errOf } = captureIo();
    const args = ['run', '--store', server.url, '--dir', dir, 'When is the garden party?', ...spec];
    const running = main(args, io);
    await expect.poll(errOf).toContain('The store is full');
    room('0');
    const [code, out] = [await running, outOf()];
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('ninth of June') });
    expect(model.asked).toHaveLength(1);
    expect(await json('replay', 'last')).toMatchObject([{ same: true, status: 'waitingForUser' }]);
  });
});
