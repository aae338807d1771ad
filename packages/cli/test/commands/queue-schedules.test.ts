import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, openRedisStore, createRedisStorage } from '@pawl/worker';
import type { Store } from '@pawl/runtime/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRedis, type RedisServer } from '../../../worker/test/redis-server.ts';
import { runWorker } from '../../src/commands/worker/action.ts';
import { main } from '../../src/main.ts';
import { captureIo } from '../capture-io.ts';
import { startOpenAiServer, type ScriptedSay } from '../openai-server.ts';
import { splitLines, type PawlResult } from './test-workspace.ts';

describe('pawl submit, queue and worker', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let store: Store;
  let folder = '';
  const cleanUps: (() => unknown)[] = [];
  const before = process.env['XDG_DATA_HOME'];

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
    store = await openRedisStore(server.url);
  });

  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-schedules-')));
    writeFileSync(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
    process.env['XDG_DATA_HOME'] = join(folder, 'data');
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
    process.env['XDG_DATA_HOME'] = before;
    const { redis, close } = await connectRedis(server.url);
    await redis.flushall();
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function pawl(...args: readonly string[]): Promise<PawlResult> {
    const { io, out, err } = captureIo();
    const code = await main([...args, '--store', server.url, '--dir', folder], io);
    return { code, out: out(), err: err() };
  }

  async function json(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
    const { out } = await pawl(...args, '--json');
    return out === '' ? [] : splitLines(out).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** A worker in this process; it ends with the test. */
  function startWork(more: { readonly keep?: string } = {}): () => string {
    const stop = new AbortController();
    const captured = captureIo();
    const times = { concurrency: '2', lease: '300', grace: '1', ...more };
    const ended = runWorker({ dir: folder, store: server.url, ...times, signal: stop.signal }, captured.io);
    cleanUps.push(() => {
      stop.abort();
      return ended;
    });
    return captured.out;
  }

  /** A new session waits for its first message, so its status alone does not say that it has answered. */
  async function hasAnswered(id: string): Promise<boolean> {
    const { session } = await store.open(id);
    return session.seq > 0 && session.turn.status === 'waitingForUser';
  }

  it('submit a goal on a schedule', async () => {
    const { code, out, err } = await pawl(
      'submit',
      '--every',
      '6h',
      '--name',
      'party',
      'When is the garden party?',
    );
    expect({ code, out }).toEqual({ code: 0, out: 'party\n' });
    expect(err).toContain('pawl queue unschedule party');
    expect(await json('queue', 'schedules')).toMatchObject([
      { name: 'party', tenant: 'default', when: { everyMs: 21_600_000 }, goal: 'When is the garden party?' },
    ]);
    const output = startWork();
    await expect.poll(output).toContain('started by schedule: party-');
    await expect.poll(async () => (await pawl('show', 'party')).out).toContain('ninth of June');
    expect((await pawl('queue', 'schedules')).out).toMatch(
      /^party {2}default {2}every 6h {2}next \d{4}-.*garden party\?\n$/,
    );
    expect((await pawl('queue', 'unschedule', 'party')).code).toBe(0);
    expect((await pawl('queue', 'schedules')).err).toContain('There are no schedules');
    expect(await store.list()).toHaveLength(1);
  });

  it('apply a time zone, and separate the schedules of two tenants', async () => {
    const cron = ['--cron', '0 3 * * *', '--tz', 'Europe/Zurich', '--name', 'nightly'];
    const [made] = await json('submit', ...cron, 'Check the links');
    expect(new Date(Number(made?.['next'])).getUTCMinutes()).toBe(0);
    await pawl('submit', ...cron, '--tenant', 'web', 'Check the links');
    expect((await pawl('queue', 'schedules')).out).toContain('cron "0 3 * * *" Europe/Zurich');
    const { code, err } = await pawl('queue', 'unschedule', 'nightly');
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('default, web') });
    expect(await json('queue', 'unschedule', 'nightly', '--tenant', 'web')).toEqual([
      { name: 'nightly', tenant: 'web', removed: true },
    ]);
    expect(await json('queue', 'schedules')).toMatchObject([{ name: 'nightly', tenant: 'default' }]);
  });

  it.each([
    [['--every', 'soon'], '--every must be a time span'],
    [['--every', '6h', '--cron', '0 3 * * *'], 'not both'],
    [['--every', '6h', '--delay', '1h'], '--delay does not apply to schedules'],
    [['--every', '6h', '--tz', 'UTC'], '--tz applies only to --cron'],
    [['--name', 'x'], 'add --every 6h'],
    [['--every', '6h', '--name', 'a b'], '--name must be'],
    [['--cron', '0 3 * *'], 'five parts'],
    [['--cron', '61 3 * * *'], 'is invalid'],
    [['--cron', '0 3 * * *', '--tz', 'Mars/X'], 'no time zone'],
  ])('refuse %j', async (args, reason) => {
    const { code, err } = await pawl('submit', ...args, 'Do it.');
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(reason) });
    expect(await json('queue', 'schedules')).toEqual([]);
    expect(await store.list()).toEqual([]);
  });

  it('set, show and remove the limits of a tenant', async () => {
    const { out } = await pawl('queue', 'limit', 'web', '--concurrency', '4', '--rate', '100/1h');
    expect(out).toBe('web: at most 4 at once, 100 every 1h\n');
    expect((await pawl('queue', 'show')).out).toContain('0 stalled (at most 4 at once, 100 every 1h)\n');
    await pawl('queue', 'limit', 'web', '--rate', '5/s');
    expect(await json('queue', 'limit', 'web', '--concurrency', 'none')).toEqual([
      { tenant: 'web', limits: { concurrency: null, rate: { max: 5, perMs: 1_000 } } },
    ]);
    expect((await pawl('queue', 'limit', 'web', '--rate', 'none')).out).toBe('web: no limit\n');
    for (const args of [[], ['--rate', '5'], ['--rate', '0/s'], ['--rate', '5/0s'], ['--concurrency', '0']]) {
      expect((await pawl('queue', 'limit', 'web', ...args)).code).toBe(2);
    }
    expect((await pawl('queue', 'limit', 'a b', '--rate', '5/s')).code).toBe(2);
    expect((await pawl('queue', 'unschedule', 'none')).err).toContain('pawl queue schedules');
  });

  it('remove ended sessions after the retention of a worker', async () => {
    const { redis, close } = await connectRedis(server.url);
    cleanUps.push(close);
    const [kept] = await json('submit', 'When is the garden party?');
    const [removed] = await json('submit', 'When is the garden party?');
    startWork({ keep: '1h' });
    for (const each of [kept, removed]) {
      const id = String(each?.['id']);
      await expect.poll(() => hasAnswered(id)).toBe(true);
    }
    await redis.zadd('pawl:sessions', Date.now() - 3_700_000, String(removed?.['id']));
    // Simulate that the schedule is due again.
    await redis.del('pawl:removing');
    // A worker removes expired sessions as soon as it starts.
    const output = startWork({ keep: '1h' });
    await expect.poll(output).toContain('removed expired');
    expect((await store.list()).map(({ id }) => id)).toEqual([kept?.['id']]);
  });

  it('share the memory of an agent between workers, but not between tenants', async () => {
    const model = await startOpenAiServer();
    cleanUps.push(() => model.close());
    const says: readonly ScriptedSay[] = [
      { tool: 'storage_save', args: { tags: 'party', value: 'on the ninth of June' } },
      'I have written it down.',
      { tool: 'storage_search', args: { query: 'June' } },
      'Found it.',
    ];
    model.says = (request) => says[request - 1] ?? 'Nothing is left to say.';
    // A starting worker sweeps all tenants.
    await pawl('queue', 'limit', 'web', '--concurrency', '2');
    startWork();
    const spec = ['--model', 'openai-compatible:m', '--base-url', model.url, '--mode', 'full-auto'];
    for (const goal of ['Remember when the party is.', 'When is the party?']) {
      const [made] = await json('submit', ...spec, '--tenant', 'web', goal);
      const id = String(made?.['id']);
      await expect.poll(() => hasAnswered(id)).toBe(true);
    }
    // The search found the entry that the other session saved.
    expect(JSON.stringify(model.asked.at(-1))).toContain('on the ninth of June');
    const { redis, close } = await connectRedis(server.url);
    cleanUps.push(close);
    const counts = await Promise.all(
      ['web', 'default'].map((tenant) => createRedisStorage(redis, { name: `${tenant} ${folder}` }).count()),
    );
    expect(counts).toEqual([1, 0]);
    expect(existsSync(join(folder, 'data', 'pawl', 'storage'))).toBe(false);
  });
});
