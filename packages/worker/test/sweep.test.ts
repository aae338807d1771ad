import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sweepSessions } from '../src/sweep.ts';
import { createScriptedFactory, createWorkerHarness, type WorkerHarness } from './harness.ts';
import { startRedis, type RedisServer } from './redis-server.ts';

describe('a sweep', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let place: WorkerHarness;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
  });

  afterAll(async () => server.stop());

  afterEach(async () => place.close());

  const once = (): Promise<readonly string[]> => {
    const { redis, prefix, queue } = place;
    return sweepSessions({ redis, prefix, ...queue.parts, now: Date.now(), newest: 2, older: 4 });
  };

  it('checks every session in rotation, and the newest each time', async () => {
    place = await createWorkerHarness(server);
    const ids = Array.from({ length: 13 }, (_, index) => `s${index}`);
    for (const [index, id] of ids.entries()) await place.submit(id, 'Do it.', { now: 1_000 + index });
    expect(await once()).toEqual([]);
    const loseQueueEntry = async (): Promise<void> => {
      await place.redis.del(...(await place.redis.keys(`{${place.prefix}.*`)));
    };
    await loseQueueEntry();
    await place.redis.del(`${place.prefix}:swept`);
    expect(await once()).toEqual(['s12', 's11', 's10', 's9', 's8', 's7']);
    expect(await once()).toEqual(['s6', 's5', 's4', 's3']);
    expect(await once()).toEqual(['s2', 's1', 's0']);
    await loseQueueEntry();
    expect(await once()).toEqual(['s12', 's11', 's10', 's9', 's8', 's7']);
  });

  it('skips sessions that wait for users, have ended, are dead letters or are unreadable', async () => {
    place = await createWorkerHarness(server);
    for (const id of ['waits', 'over', 'parked', 'odd']) await place.submit(id);
    const worker = await place.work(createScriptedFactory([{ text: 'Done.' }]));
    await place.until('waits', 'waitingForUser');
    await place.queue.send('over', { kind: 'halt', reason: 'enough' });
    await place.until('over', 'halted');
    await worker.close();
    await place.submit('forgotten');
    await place.submit('put-aside');
    await place.queue.drop('put-aside', 1);
    await place.redis.del(...(await place.redis.keys(`{${place.prefix}.*`)));
    await place.redis.hset(`${place.prefix}:{odd}:session`, 'row', 'no JSON');
    await place.redis.zadd(`${place.prefix}:sessions`, Date.now(), 'gone');
    // The worker has swept as well.
    await place.redis.del(`${place.prefix}:swept`);
    expect([...(await once()), ...(await once())]).toEqual(['forgotten']);
    // What people have said to one that waits is something to do.
    await place.store.commands.send('waits', { kind: 'say', text: 'Go on.' });
    expect([...(await once()), ...(await once())]).toContain('waits');
  });
});
