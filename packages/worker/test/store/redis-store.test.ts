import type { Store } from '@pawl/runtime/store';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeStoreContract } from '../../../runtime/test/store/store-contract.ts';
import { createRedisStore } from '../../src/store/redis-store.ts';
import { startRedis, type RedisServer } from '../redis-server.ts';

/** A node that owns all slots, and like every node of a cluster refuses a script whose keys are not all in one of them. */
const clusterSettings = { 'cluster-enabled': 'yes' };

describe.each([
  ['in Redis', {}],
  ['in a cluster', clusterSettings],
])('a store %s', { tags: ['redis'] }, (_, settings) => {
  let server: RedisServer;
  const clients: Redis[] = [];

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'no', ...settings });
    if (settings !== clusterSettings) return;
    const redis = client();
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!(await redis.cluster('INFO')).includes('cluster_state:ok'));
  });

  afterAll(async () => {
    for (const each of clients) each.disconnect();
    await server.stop();
  });

  function client(): Redis {
    const made = new Redis(server.url);
    clients.push(made);
    return made;
  }

  let stores = 0;
  describeStoreContract(() => {
    stores += 1;
    const prefix = `store-${stores}`;
    const connections = [client(), client()];
    let opened = 0;
    return (): Store => {
      opened += 1;
      const redis = connections[opened % connections.length] ?? client();
      return createRedisStore(redis, { prefix });
    };
  });
});
