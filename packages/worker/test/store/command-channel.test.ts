import type { Store } from '@pawl/runtime/store';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeCommandContract } from '../../../runtime/test/commands/channel-contract.ts';
import { createRedisStore } from '../../src/store/redis-store.ts';
import { startRedis, type RedisServer } from '../redis-server.ts';

describe('commands in Redis', { tags: ['redis'] }, () => {
  let server: RedisServer;
  const clients: Redis[] = [];

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'no' });
    clients.push(new Redis(server.url), new Redis(server.url));
  });

  afterAll(async () => {
    for (const each of clients) each.disconnect();
    await server.stop();
  });

  let stores = 0;
  describeCommandContract(() => {
    stores += 1;
    const prefix = `commands-${stores}`;
    let opened = 0;
    return (): Store => {
      opened += 1;
      return createRedisStore(clients[opened % clients.length] as Redis, { prefix });
    };
  });
});
