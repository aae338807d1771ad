import { createSession } from '@pawl/core';
import type { Store } from '@pawl/runtime/store';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStorageContract as storageKeepsItsPromises } from '../../runtime/test/memory/storage-contract.ts';
import { describeStoreContract } from '../../runtime/test/store/store-contract.ts';
import {
  connectRedis,
  openRedisStore,
  createRedisStorage,
  createRedisStore,
  createSessionFeedbackStore,
  type RedisConnection,
} from '../src/index.ts';
import { createScriptedFactory, createWorkerHarness, type WorkerHarness } from './harness.ts';
import { startCluster } from './redis-cluster.ts';
import { type RedisServer } from './redis-server.ts';

function getFirstNode(nodes: readonly RedisServer[]): RedisServer {
  const [first] = nodes;
  if (first === undefined) throw new Error('There is no node.');
  return first;
}

describe('on a cluster of three masters', { tags: ['redis'] }, () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let connected: RedisConnection;
  let names = 0;
  const fresh = (): string => `name-${(names += 1)}`;

  beforeAll(async () => {
    cluster = await startCluster({ appendfsync: 'no' });
    connected = await connectRedis(getFirstNode(cluster.nodes).url);
  });

  afterAll(async () => {
    await connected.close();
    await cluster.stop();
  });

  describe('a store', () => {
    describeStoreContract(() => {
      const prefix = fresh();
      return (): Store => createRedisStore(connected.redis, { prefix });
    });
  });

  describe('storage', () => {
    storageKeepsItsPromises(() => createRedisStorage(connected.redis, { name: fresh(), prefix: 'p' }));
  });

  it('stores feedback with its session, and removes it with the session', async () => {
    const prefix = fresh();
    const store = createRedisStore(connected.redis, { prefix });
    const marks = createSessionFeedbackStore(connected.redis, { prefix });
    for (const id of ['a', 'b{c}d', 'e']) {
      await store.create(createSession({ id, at: 1 }), 'test');
      await marks.save(id, 'one', 'right');
      await marks.save(id, 'one', `wrong ${id}`);
      await marks.save(id, '__proto__', 'odd');
      expect((await marks.list(id)).toSorted()).toEqual(['odd', `wrong ${id}`]);
      await marks.remove(id, '__proto__');
      expect(await marks.list(id)).toEqual([`wrong ${id}`]);
      expect(await store.remove(id)).toBe(true);
      expect(await marks.list(id)).toEqual([]);
      await expect(marks.save(id, 'one', 'right')).rejects.toMatchObject({ code: 'missing' });
      expect(await marks.list(id)).toEqual([]);
    }
  });

  it('is found by the address of any of its nodes, and checked as a whole', async () => {
    expect(connected.redis).toBeInstanceOf(Cluster);
    for (const { url } of cluster.nodes) {
      const store = await openRedisStore(url, { prefix: fresh() });
      expect(await store.list()).toEqual([]);
      await store.close();
    }
    const last = await connectRedis(cluster.nodes.at(-1)?.url ?? '');
    const nodes = (last.redis as Cluster).nodes('master');
    expect(nodes).toHaveLength(3);
    // One careless node is enough to lose a third of it all.
    await nodes[2]?.config('SET', 'appendonly', 'no');
    await expect(openRedisStore(getFirstNode(cluster.nodes).url)).rejects.toThrow('appendonly yes');
    await nodes[2]?.config('SET', 'appendonly', 'yes');
    await last.close();
  });

  it('runs submitted and scheduled sessions, wherever their keys are', async () => {
    const place: WorkerHarness = await createWorkerHarness(getFirstNode(cluster.nodes));
    try {
      const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
      for (const id of ids) await place.submit(id, 'Do it.', { tenant: `t${id.length % 2}` });
      const template = { goal: 'Again.', profile: 'pawl', settings: {} };
      await place.queue.schedules.set('often', { everyMs: 3_600_000 }, template);
      await place.work(createScriptedFactory([{ text: 'Done.' }, { text: 'Twice.' }]));
      for (const id of ids) await place.until(id, 'waitingForUser');
      await expect.poll(() => place.reports.filter(({ kind }) => kind === 'fired').length).toBe(1);
      await place.queue.send('s3', { kind: 'say', text: 'Once more.' });
      await expect.poll(async () => (await place.store.open('s3')).session.seq).toBeGreaterThan(2);
      await place.until('s3', 'waitingForUser');
      expect(await place.store.list()).toHaveLength(ids.length + 1);
      const masters = (place.redis as unknown as Cluster).nodes('master');
      const sizes = await Promise.all(masters.map((node) => node.dbsize()));
      expect(Math.min(...sizes)).toBeGreaterThan(0);
    } finally {
      await place.close();
    }
  });
});
