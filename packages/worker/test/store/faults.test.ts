import { createSession, step, type Event, type Session } from '@pawl/core';
import { resumeSession } from '@pawl/runtime';
import { createStoreEventLog, type Store } from '@pawl/runtime/store';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  listStoredEvents,
  createSampleSession,
  createSampleLog,
  appendSampleEvents,
} from '../../../runtime/test/store/sample-session.ts';
import { openRedisStore, createRedisStore, type OpenRedisStoreOptions } from '../../src/index.ts';
import { buildSessionKeys } from '../../src/store/keys.ts';
import { startCuttingProxy } from '../cutting-proxy.ts';
import { startRedis, type RedisServer } from '../redis-server.ts';

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function startRedisWithSettings(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const server = await startRedis(settings);
  cleanUps.push(() => server.stop());
  return server;
}

async function openTestStore(url: string, options: OpenRedisStoreOptions = {}): Promise<Store> {
  const store = await openRedisStore(url, { waitMs: Number.POSITIVE_INFINITY, ...options });
  cleanUps.push(() => store.close());
  return store;
}

function connectByHand(url: string): Redis {
  const redis = new Redis(url);
  cleanUps.push(() => redis.disconnect());
  return redis;
}

describe('a store in Redis under faults', { tags: ['redis'] }, () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
  });

  afterAll(async () => server.stop());

  let prefixes = 0;
  const fresh = (): string => `faults-${(prefixes += 1)}`;

  it('has all acknowledged data after Redis was killed and restarted [SAV-54]', async () => {
    const own = await startRedisWithSettings();
    const store = await openTestStore(own.url);
    const { end, at } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      150,
    );
    await own.kill();
    const { events, end: after } = createSampleLog(end, 2);
    const kept = store.append('a', at, events, after);
    await own.start();
    // What was to be written while Redis was gone is written once it is back, and once.
    expect(await kept).toMatchObject({ head: 152 });
    const other = await openTestStore(own.url);
    expect((await other.open('a')).session).toStrictEqual(after);
    expect(await other.verify('a')).toEqual({ ok: true, head: 152 });
  });

  it('stores a write once if the connection was cut before the reply', async () => {
    const proxy = await startCuttingProxy(server.port);
    cleanUps.push(() => proxy.close());
    const store = await openTestStore(proxy.url, { prefix: fresh() });
    proxy.cutAfter('"id":"a"');
    const created = await store.create(createSampleSession(), 'me');
    proxy.cutAfter('"they"');
    const { fence, head } = await store.claim('a', 'they');
    const claimed = { fence, head };
    expect(fence).toBeGreaterThan(created.fence);
    const { events, end } = createSampleLog(createSampleSession(), 2);
    proxy.cutAfter('model-replied');
    expect(await store.append('a', claimed, events, end)).toEqual({ ...claimed, head: 2 });
    expect(proxy.cuts()).toBe(3);
    expect(await listStoredEvents(store, 'a')).toStrictEqual(events);
    expect(await store.open('a')).toMatchObject({ ...claimed, head: 2, owner: 'they' });
    await expect(store.append('a', claimed, events, end)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('returns a session without its snapshot on claim, however long its log is', async () => {
    const prefix = fresh();
    const store = await openTestStore(server.url, { prefix });
    const { end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      2_500,
    );
    await connectByHand(server.url).del(buildSessionKeys(prefix, 'a').snapshot);
    const claimed = await (await openTestStore(server.url, { prefix })).claim('a', 'they');
    expect(claimed).toMatchObject({ head: 2_500, owner: 'they', replayed: 2_500 });
    expect(claimed.session).toStrictEqual(end);
  });

  it('lets a restarted worker continue where the last one stopped [SAV-54]', async () => {
    const prefix = fresh();
    const first = await openTestStore(server.url, { prefix });
    const { end } = await appendSampleEvents(
      first,
      createSampleSession(),
      await first.create(createSampleSession(), 'gone'),
      5,
    );
    await first.close();
    const second = await openTestStore(server.url, { prefix });
    const resumed = await resumeSession(second, 'a', { owner: 'next' });
    expect(resumed.session).toStrictEqual(end);
    const { events, end: after } = createSampleLog(end, 1);
    await resumed.log.append(events, after);
    expect((await second.open('a')).session).toStrictEqual(after);
  });

  it.each([
    ['an event was changed', 'event 3 or an earlier one was changed'],
    ['an event is gone', 'event 3 is missing'],
    ['there is one too many', 'event 10 exists, but only 9 events were stored'],
  ])('marks only that session as damaged when %s', async (what, reason) => {
    const prefix = fresh();
    const [store, redis] = [await openTestStore(server.url, { prefix }), connectByHand(server.url)];
    await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      9,
    );
    await appendSampleEvents(
      store,
      createSampleSession('b'),
      await store.create(createSampleSession('b'), 'me'),
      3,
    );
    const log = `${prefix}:{a}:log`;
    if (what.includes('too many')) await redis.xadd(log, '10-0', 'hash', 'x', 'text', '{}');
    else await redis.xdel(log, '3-0');
    if (what.includes('changed')) {
      // A stream has no inserts: it is rewritten with another third event.
      const [first, second, ...rest] = await redis.xrange(log, '-', '+');
      const forged = ['3-0', ['hash', 'f'.repeat(64), 'text', '{"type":"retry-due"}']] as const;
      await redis.del(log);
      for (const entry of [first, second, forged, ...rest])
        if (entry !== undefined) await redis.xadd(log, entry[0], ...entry[1]);
    }
    expect(await store.verify('a')).toMatchObject({ ok: false, reason });
    await expect(store.open('a')).rejects.toMatchObject({ code: 'damaged' });
    await expect(store.claim('a', 'they')).rejects.toMatchObject({ code: 'damaged' });
    const statuses = (await store.list()).map(({ id, status }) => [id, status]);
    expect(statuses).toContainEqual(['a', 'damaged']);
    expect(await store.open('b')).toMatchObject({ head: 3 });
  });

  it('detects at the next append that the log does not end at its head', async () => {
    const prefix = fresh();
    const [store, redis] = [await openTestStore(server.url, { prefix }), connectByHand(server.url)];
    const started = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      4,
    );
    await redis.xdel(`${prefix}:{a}:log`, '4-0');
    await expect(appendSampleEvents(store, started.end, started.at, 1)).rejects.toMatchObject({
      code: 'damaged',
    });
    expect((await store.list())[0]).toMatchObject({ status: 'damaged' });
  });

  it('never continues from a log that is shorter than acknowledged, for any process', async () => {
    const prefix = fresh();
    const [store, redis] = [await openTestStore(server.url, { prefix }), connectByHand(server.url)];
    const started = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      4,
    );
    const keys = ['session', 'log'].map((name) => `${prefix}:{a}:${name}`);
    const copies = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    const more = await appendSampleEvents(store, started.end, started.at, 3);
    // A replica that was behind has become the master.
    for (const [index, key] of keys.entries()) await redis.restore(key, 0, copies[index] ?? '', 'REPLACE');
    await expect(appendSampleEvents(store, more.end, more.at, 1)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('ends at event 4, but event 7 was acknowledged'),
    });
    const other = await openTestStore(server.url, { prefix });
    await expect(other.open('a')).rejects.toMatchObject({ code: 'damaged' });
    expect(await other.verify('a')).toMatchObject({
      ok: false,
      seq: 5,
      reason: expect.stringContaining('event 7'),
    });
    await expect(resumeSession(other, 'a', { owner: 'they' })).rejects.toMatchObject({ code: 'damaged' });
    expect((await other.list())[0]).toMatchObject({ status: 'damaged' });
    expect(await listStoredEvents(other, 'a')).toHaveLength(4);
    expect(await other.remove('a')).toBe(true);
  });

  it('detects that another process continued from a log with lost events', async () => {
    const prefix = fresh();
    const [store, redis] = [await openTestStore(server.url, { prefix }), connectByHand(server.url)];
    const started = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      2,
    );
    const keys = ['session', 'log'].map((name) => `${prefix}:{a}:${name}`);
    const copies = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    const more = await appendSampleEvents(store, started.end, started.at, 2);
    for (const [index, key] of keys.entries()) await redis.restore(key, 0, copies[index] ?? '', 'REPLACE');
    const other = await openTestStore(server.url, { prefix });
    const claimed = await other.claim('a', 'they');
    const conflictingEvent: Event = { type: 'model-replied', at: 9, text: 'something else', calls: [] };
    const elsewhere = step(started.end, conflictingEvent).session;
    const at = await other.append('a', claimed, [conflictingEvent], elsewhere);
    await appendSampleEvents(other, elsewhere, at, 4);
    await expect(appendSampleEvents(store, more.end, more.at, 1)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('another process continued without it'),
    });
  });

  it('waits while Redis is full, and continues when there is space', async () => {
    const own = await startRedisWithSettings();
    const [store, redis] = [await openTestStore(own.url), connectByHand(own.url)];
    const at = await store.create(createSampleSession(), 'me');
    await redis.config('SET', 'maxmemory', '1');
    const { events, end } = createSampleLog(createSampleSession(), 1);
    await expect(store.append('a', at, events, end)).rejects.toMatchObject({ code: 'full' });
    await redis.config('SET', 'maxmemory', '0');
    expect(await listStoredEvents(store, 'a')).toEqual([]);
    const log = createStoreEventLog(store, 'a', at);
    await log.append(events, end);
    expect(await listStoredEvents(store, 'a')).toStrictEqual(events);
  });

  it('reports connection and authentication failures, without any password', async () => {
    const own = await startRedisWithSettings({ requirepass: 'right' });
    const wrong = own.url.replace('right', 'wrong-secret');
    const refusal = await openRedisStore(wrong).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining('authentication failed'),
    });
    expect(String(refusal)).not.toContain('wrong-secret');
    await openTestStore(own.url);
    await own.kill();
    await expect(openRedisStore(own.url)).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining(`Redis at 127.0.0.1:${own.port} (it cannot be reached`),
    });
    for (const url of ['', 'redis://', 'http://127.0.0.1', 'redis']) {
      await expect(openRedisStore(url)).rejects.toThrow('redis://127.0.0.1:6379');
    }
  });

  it('rejects a Redis without durable persistence, or only warns if so configured', async () => {
    const own = await startRedisWithSettings({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
    await expect(openRedisStore(own.url)).rejects.toThrow(/appendonly yes.*noeviction/s);
    const warnings: string[] = [];
    await openTestStore(own.url, { durability: 'warn', onWarning: (line) => warnings.push(line) });
    expect(warnings).toHaveLength(2);
    const replica = await startRedisWithSettings({ replicaof: `127.0.0.1 ${own.port}` });
    await expect(openRedisStore(replica.url)).rejects.toThrow('replica');
  });

  it('gives up on a Redis that does not respond within the timeout', async () => {
    const own = await startRedisWithSettings();
    await (await openTestStore(own.url)).create(createSampleSession(), 'me');
    // On a busy machine opening may take longer than that as well.
    const opened = Promise.withResolvers<Store>();
    await expect.poll(() => openTestStore(own.url, { waitMs: 200 }).then(opened.resolve)).toBeUndefined();
    await own.kill();
    await expect((await opened.promise).open('a')).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('stores sessions with any id without collisions', async () => {
    const store = createRedisStore(connectByHand(server.url), { prefix: fresh() });
    const ids = ['{', '}', '{}', '}{', 'a}:log', 'a', '*', 'ä 😀', '%7B'];
    const made: Session[] = [];
    for (const id of ids) {
      const started = createSession({ id, at: 1_000, settings: { compact: true } });
      made.push((await appendSampleEvents(store, started, await store.create(started, 'me'), 3)).end);
    }
    for (const [index, id] of ids.entries())
      expect((await store.open(id)).session).toStrictEqual(made[index]);
    expect(await store.list()).toHaveLength(ids.length);
  });

  it('reads a long log page by page, from any event', async () => {
    const store = createRedisStore(connectByHand(server.url), { prefix: fresh() });
    const { events, end } = createSampleLog(createSampleSession(), 2_600);
    await store.append('a', await store.create(createSampleSession(), 'me'), events, end);
    expect(await listStoredEvents(store, 'a')).toStrictEqual(events);
    expect(await listStoredEvents(store, 'a', 1_999)).toStrictEqual(events.slice(1_999));
    expect(await store.verify('a')).toEqual({ ok: true, head: 2_600 });
    expect((await store.open('a', { at: 1_300 })).head).toBe(1_300);
  });
});
