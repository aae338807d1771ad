import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@pawl/runtime/store';
import { connectRedis, openRedisStore, type RedisConnection } from '@pawl/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startRedis, type RedisServer } from '../../../worker/test/redis-server.ts';
import { submitGoal } from '../../src/commands/submit/action.ts';
import { runWorker } from '../../src/commands/worker/action.ts';
import { main } from '../../src/main.ts';
import { captureIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer, type ScriptedSay } from '../openai-server.ts';
import { saveRun, splitLines, stuckRun, type TestWorkspace, type PawlResult } from './test-workspace.ts';

type MachineName = 'here' | 'there';

/** Two machines are simulated by two data folders; they share Redis and a working folder. */
describe('with sessions in Redis, on two machines', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let store: Store;
  let redis: RedisConnection['redis'];
  let dir = '';
  const cleanUps: (() => unknown)[] = [];

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
    store = await openRedisStore(server.url);
    const connected = await connectRedis(server.url);
    redis = connected.redis;
    return async () => {
      await connected.close();
      await store.close();
      await server.stop();
    };
  });

  afterAll(() => vi.unstubAllEnvs());

  beforeEach(async () => {
    await redis.flushall();
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-machines-')));
    cleanUps.push(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  });

  const at = (machine: MachineName): void =>
    void vi.stubEnv('XDG_DATA_HOME', join(dir, '.machines', machine));

  async function pawl(machine: MachineName, ...args: readonly string[]): Promise<PawlResult> {
    at(machine);
    const { io, out, err } = captureIo();
    const code = await main([...args, '--store', server.url, '--dir', dir], io);
    return { code, out: out(), err: err() };
  }

  async function json(
    machine: MachineName,
    ...args: readonly string[]
  ): Promise<readonly Record<string, unknown>[]> {
    const { out } = await pawl(machine, ...args, '--json');
    return out === '' ? [] : splitLines(out).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  const place = (): TestWorkspace => ({ dir, store }) as unknown as TestWorkspace;

  /** Lists the files in this machine's data folder, except leftover prompts. */
  function keptAt(machine: MachineName): readonly string[] {
    try {
      const all = readdirSync(join(dir, '.machines', machine, 'pawl'), { recursive: true }).map(String);
      return all.filter((name) => /\.(?:jsonl|sqlite|db)$/.test(name));
    } catch {
      return [];
    }
  }

  async function speaking(says: (count: number) => ScriptedSay): Promise<OpenAiServer> {
    const model = await startOpenAiServer();
    cleanUps.push(() => model.close());
    let count = 0;
    model.says = () => says((count += 1));
    return model;
  }

  it('marks made on one are listed, counted and learned from on the other', async () => {
    const id = await saveRun(place(), stuckRun);
    const unmarked = await json('here', 'learn');
    expect(await pawl('here', 'verdict', id, 'wrong', '--note', 'it was there')).toMatchObject({ code: 0 });
    await pawl('there', 'verdict', id, 'right', '--event', '10');
    for (const machine of ['here', 'there'] as const) {
      expect(await json(machine, 'verdict', id)).toMatchObject([
        { seq: 10, mark: 'right' },
        { seq: 13, mark: 'wrong', note: 'it was there' },
      ]);
      const [stats] = await json(machine, 'stats');
      expect(JSON.stringify(stats)).toContain('"right":1,"wrong":1');
    }
    // The latest feedback counts, whichever machine sent it.
    await pawl('there', 'verdict', id, 'right', '--event', '13');
    expect(await json('here', 'verdict', id)).toMatchObject([
      { mark: 'right' },
      { mark: 'right', note: null },
    ]);
    expect(await json('there', 'learn')).not.toEqual(unmarked);
    expect([...keptAt('here'), ...keptAt('there')]).toEqual([]);
  });

  it('marks are removed with their session, and cannot be made on a removed one', async () => {
    const id = await saveRun(place(), stuckRun);
    await pawl('here', 'verdict', id, 'wrong');
    const key = `pawl:{${id}}:marks`;
    expect(await redis.hlen(key)).toBe(1);
    expect((await pawl('there', 'rm', id, '--yes')).code).toBe(0);
    expect(await redis.keys('*')).toEqual(['pawl:fence']);
    expect((await pawl('here', 'verdict', id, 'wrong')).code).toBe(2);
    expect(await redis.exists(key)).toBe(0);
  });

  it('invalid marks are ignored with a warning', async () => {
    const id = await saveRun(place(), stuckRun);
    await pawl('here', 'verdict', id, 'wrong');
    await redis.hset(`pawl:{${id}}:marks`, 'odd', '{"__proto__":{}}', 'cut off', '{"at":1');
    const { out, err } = await pawl('there', 'stats', '--json');
    expect(out).toContain('"wrong":1');
    expect(err).toContain('2 unreadable verdict marks ignored');
  });

  it('storage entries of a run on one are found by a run, a resume and a worker on the other', async () => {
    const save = {
      tool: 'storage_save',
      args: { tags: 'party', value: 'The garden party is on the ninth.' },
    };
    const find = { tool: 'storage_search', args: { query: 'garden' } };
    const script: readonly ScriptedSay[] = [save, 'Saved.', find, 'Found.', find, 'Found.', find, 'Found.'];
    const model = await speaking((count) => script[count - 1] ?? 'Done.');
    const spec = ['--model', 'openai-compatible:m', '--base-url', model.url, '--mode', 'full-auto'];
    expect((await pawl('here', 'run', 'Remember the party', ...spec)).code).toBe(0);
    /** The result of the search, in the last model request. */
    const readCommands = (): string => {
      const { messages } = model.asked.at(-1) as { readonly messages: readonly unknown[] };
      return JSON.stringify(messages.at(-1));
    };
    expect((await pawl('there', 'run', 'When is the party?', ...spec)).code).toBe(0);
    expect(readCommands()).toContain('on the ninth.');
    expect((await pawl('there', 'resume', 'last', 'And again?', ...spec.slice(0, 4))).code).toBe(0);
    expect(readCommands()).toContain('on the ninth.');
    const stop = new AbortController();
    cleanUps.push(() => stop.abort());
    const flags = { dir, store: server.url };
    const { io, out } = captureIo();
    const working = runWorker(
      { ...flags, concurrency: '1', lease: '300', grace: '1', signal: stop.signal },
      io,
    );
    const asked = { model: 'openai-compatible:m', baseUrl: model.url, mode: 'full-auto' };
    await submitGoal('When is the party?', { ...flags, ...asked }, captureIo().io);
    await expect.poll(out).toContain('idle:');
    expect(readCommands()).toContain('on the ninth.');
    stop.abort();
    await working;
    expect([...keptAt('here'), ...keptAt('there')]).toEqual([]);
    expect(await json('there', 'memory', 'list')).toMatchObject([{ key: 'party' }]);
  });

  it('memory is listed, searched, exported and imported per tenant', async () => {
    const from = join(dir, 'notes.json');
    writeFileSync(
      from,
      JSON.stringify({ working_memory: {}, storage: { attic: 'A letter is in the attic.' } }),
    );
    const nothing = await pawl('here', 'memory', 'list');
    expect(nothing).toMatchObject({ code: 2, err: expect.stringContaining('The storage') });
    expect(await redis.dbsize()).toBe(0);
    expect(await json('here', 'memory', 'import', from)).toMatchObject([{ kind: 'storage', storage: 1 }]);
    const listed = await pawl('there', 'memory', 'list');
    expect(listed).toMatchObject({ code: 0, out: 'storage         attic: A letter is in the attic.\n' });
    expect(listed.err).toContain(`Using the storage "redis://127.0.0.1:${server.port} default ${dir}"`);
    expect((await pawl('there', 'memory', 'search', 'letter')).out).toContain('attic');
    const exported = join(dir, 'out.json');
    expect((await pawl('there', 'memory', 'export', '--out', exported)).code).toBe(0);
    expect(JSON.parse(readFileSync(exported, 'utf8'))).toMatchObject({
      storage: { attic: 'A letter is in the attic.' },
    });
    expect((await pawl('here', 'memory', 'list', '--tenant', 'web')).code).toBe(2);
    await pawl('here', 'memory', 'import', exported, '--tenant', 'web');
    expect((await pawl('there', 'memory', 'list', '--tenant', 'web')).code).toBe(0);
    expect(await redis.keys('pawl:{memory.web*:entries')).toHaveLength(1);
    writeFileSync(from, JSON.stringify({ working_memory: {}, storage: { cellar: 'Potatoes.' } }));
    const replaced = await json('there', 'memory', 'import', from, '--replace');
    expect(replaced).toMatchObject([{ storage: 1, removed: 1 }]);
    expect(await json('here', 'memory', 'list')).toMatchObject([{ key: 'cellar' }]);
    expect(keptAt('here')).toEqual([]);
  });

  it('the folder configuration selects the memory, and two locations are rejected', async () => {
    writeFileSync(
      join(dir, 'notes.json'),
      JSON.stringify({ working_memory: {}, storage: { attic: 'A letter.' } }),
    );
    await pawl('here', 'memory', 'import', join(dir, 'notes.json'));
    vi.stubEnv('PAWL_STORE', server.url);
    const list = async (...more: readonly string[]): Promise<PawlResult> => {
      const { io, out, err } = captureIo();
      const code = await main(['memory', 'list', '--dir', dir, ...more], io);
      return { code, out: out(), err: err() };
    };
    const { code, out } = await list();
    vi.stubEnv('PAWL_STORE', undefined);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('attic') });
    expect((await list('--tenant', 'web')).err).toContain('--tenant applies only to a memory in Redis');
    expect((await list('--file', 'a.json', '--store', server.url)).err).toContain('not both');
    expect((await pawl('here', 'memory', 'list', '--tenant', 'no good')).err).toContain('--tenant must be');
  });
});
