import type { Store } from '@pawl/runtime/store';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSampleSession } from '../../../runtime/test/store/sample-session.ts';
import { createRedisStore } from '../../src/store/redis-store.ts';
import { startRedis, type RedisServer } from '../redis-server.ts';

describe('the claim history of a session in Redis', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let redis: Redis;
  let store: Store;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'no' });
    redis = new Redis(server.url);
    store = createRedisStore(redis);
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('skips invalid lines', async () => {
    await store.create(createSampleSession('odd'), 'first');
    await redis.rpush('pawl:{odd}:claims', '', '1', 'x {}', '1 {"owner":1}', '1 null', 'nonsense');
    expect(await store.claims('odd')).toMatchObject([{ owner: 'first' }]);
  });
});
