import { createInMemoryStorage, type EntryStorage, type StorageQuery } from '@pawl/runtime/storage';
import * as fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEntry, describeStorageContract } from '../../../runtime/test/memory/storage-contract.ts';
import { createRedisStorage } from '../../src/memory/redis-storage.ts';
import { startRedis, type RedisServer } from '../redis-server.ts';

/** A node that owns all slots, and like every node of a cluster refuses a script whose keys are not all in one of them. */
const clusterSettings = { 'cluster-enabled': 'yes' };

describe.each([
  ['in Redis', {}],
  ['in a cluster', clusterSettings],
])('storage %s', { tags: ['redis'] }, (_, settings) => {
  let server: RedisServer;
  let redis: Redis;
  let storages = 0;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'no', ...settings });
    redis = new Redis(server.url);
    if (settings !== clusterSettings) return;
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!(await redis.cluster('INFO')).includes('cluster_state:ok'));
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const open = (): EntryStorage =>
    createRedisStorage(redis, { name: `{odd} name ${(storages += 1)}`, prefix: 'p' });

  describeStorageContract(open);

  it('leaves no data of removed entries', async () => {
    const before = await redis.keys('*');
    const storage = open();
    await storage.save([createEntry('a', 'the red harbour'), createEntry('b', 'red')]);
    await storage.save([createEntry('a', 'the blue harbour')]);
    expect((await redis.keys('*')).length).toBeGreaterThan(before.length);
    await storage.remove('a');
    await storage.remove('b');
    expect((await redis.keys('*')).toSorted()).toEqual(before.toSorted());
  });

  it('is shared under one name, and isolated from other names', async () => {
    const [one, same, other] = ['x', 'x', 'y'].map((name) => createRedisStorage(redis, { name }));
    await one?.save([createEntry('plan', 'walk')]);
    expect(await same?.search({ text: 'walk', tags: [] })).toEqual([createEntry('plan', 'walk')]);
    expect(await other?.search({ text: 'walk', tags: [] })).toEqual([]);
    expect(await other?.count()).toBe(0);
  });

  it('skips invalid entries', async () => {
    const storage = createRedisStorage(redis, { name: 'spoilt', prefix: 'p' });
    await storage.save([createEntry('a', 'words'), createEntry('b', 'words')]);
    for (const bad of ['', '{', 'null', '[]', '{"key":1}', '{"key":"a","savedAt":1,"kind":"entry"}']) {
      await redis.hset('p:{memory.spoilt}:entries', 'a', bad);
      expect(await storage.load('a')).toBeNull();
      expect(await storage.search({ text: 'words', tags: [] })).toEqual([createEntry('b', 'words')]);
      expect(await storage.list()).toEqual([createEntry('b', 'words')]);
    }
  });

  it('finds what the in-memory storage finds, in the same order', async () => {
    const word = fc.constantFrom(
      'red',
      'harbour',
      'stops',
      'stopping',
      'createHttpServer',
      '京都',
      'x9f86d',
      '%',
    );
    const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
    const key = fc.array(fc.constantFrom('alice', 'Bob', 'plan', 'a-b'), { minLength: 1, maxLength: 2 });
    const saved = fc.record({ key: key.map((tags) => tags.join(',')), text, at: fc.nat({ max: 5 }) });
    const query: fc.Arbitrary<StorageQuery> = fc.record({
      text: fc.oneof(text, fc.constantFrom('f86', 'ed', 'arb out')),
      tags: fc.array(fc.constantFrom('alice', 'bob', 'pl', 'zzz'), { maxLength: 2 }),
      limit: fc.integer({ min: 0, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(saved, { maxLength: 8 }),
        fc.array(query, { maxLength: 6 }),
        async (all, queries) => {
          const [ours, theirs] = [open(), createInMemoryStorage()];
          const entries = all.map((each) => createEntry(each.key, each.text, each.at));
          for (const storage of [ours, theirs]) await storage.save(entries);
          for (const asked of queries) expect(await ours.search(asked)).toEqual(await theirs.search(asked));
          expect(await ours.list()).toEqual(await theirs.list());
        },
      ),
      { numRuns: 60 },
    );
  });
});
