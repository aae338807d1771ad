import type { Store } from '@pawl/runtime';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { session } from '../../../runtime/test/store/tale.ts';
import { redisStore } from '../../src/store/redis-store.ts';
import { hasRedis, startRedis, type RedisServer } from '../redis-server.ts';

describe.skipIf(!hasRedis)('the claims of a session in Redis', () => {
  let server: RedisServer;
  let redis: Redis;
  let store: Store;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'no' });
    redis = new Redis(server.url);
    store = redisStore(redis);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('pass over what is none', async () => {
    await store.create(session('odd'), 'first');
    await redis.rpush('pawl:{odd}:claims', '', '1', 'x {}', '1 {"owner":1}', '1 null', 'nonsense');
    expect(await store.claims('odd')).toMatchObject([{ owner: 'first' }]);
  });
});
