import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { session, tell } from '../../../runtime/test/store/tale.ts';
import { redisStore, type RedisStore } from '../../src/store/redis-store.ts';
import { hasRedis, startRedis, type RedisServer } from '../redis-server.ts';

describe.skipIf(!hasRedis)('the claims of a session in Redis', () => {
  let server: RedisServer;
  let redis: Redis;
  let store: RedisStore;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'no' });
    redis = new Redis(server.url);
    store = redisStore(redis);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('tell who had it and when it changed hands', async () => {
    const before = Date.now();
    await tell(store, session(), await store.create(session(), 'first'), 3);
    await store.claim('a', 'second');
    await expect(store.claim('a', 'too late', 1)).rejects.toMatchObject({ code: 'held' });
    const claims = await store.claims('a');
    expect(claims).toMatchObject([
      { owner: 'first', head: 0, status: 'waitingForUser' },
      { owner: 'second', head: 3 },
    ]);
    for (const { at } of claims) {
      expect(at).toBeGreaterThanOrEqual(before - 1);
      expect(at).toBeLessThanOrEqual(Date.now() + 1);
    }
  });

  it('are the last hundred, go with the session, and are none of a fork', async () => {
    await store.create(session('many'), 'first');
    for (let time = 0; time < 120; time += 1) await store.claim('many', `owner ${time}`);
    const claims = await store.claims('many');
    expect(claims).toHaveLength(100);
    expect(claims.at(-1)).toMatchObject({ owner: 'owner 119' });
    await store.remove('many');
    expect(await store.claims('many')).toEqual([]);
    expect(await redis.exists('pawl:{many}:claims')).toBe(0);
    await store.create(session('many'), 'anew');
    expect(await store.claims('many')).toMatchObject([{ owner: 'anew' }]);
  });

  it('pass over what is none', async () => {
    await store.create(session('odd'), 'first');
    await redis.rpush('pawl:{odd}:claims', '', '1', 'x {}', '1 {"owner":1}', '1 null', 'nonsense');
    expect(await store.claims('odd')).toMatchObject([{ owner: 'first' }]);
  });
});
