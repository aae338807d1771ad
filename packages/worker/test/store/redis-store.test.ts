import type { Store } from '@pawl/runtime';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import { keepsItsPromises } from '../../../runtime/test/store/store-contract.ts';
import { redisStore } from '../../src/store/redis-store.ts';
import { hasRedis, startRedis, type RedisServer } from '../redis-server.ts';

/** A node that owns all slots, and like every node of a cluster refuses a script whose keys are not all in one of them. */
const ofACluster = { 'cluster-enabled': 'yes' };

describe.skipIf(!hasRedis).each([
  ['in Redis', {}],
  ['in a cluster', ofACluster],
])('a store %s', (_, settings) => {
  let server: RedisServer;
  const clients: Redis[] = [];

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'no', ...settings });
    if (settings !== ofACluster) return;
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
  keepsItsPromises(() => {
    stores += 1;
    const prefix = `store-${stores}`;
    const connections = [client(), client()];
    let opened = 0;
    return (): Store => {
      opened += 1;
      const redis = connections[opened % connections.length] ?? client();
      return redisStore(redis, { prefix });
    };
  });
});
