import { createSession, step } from '@pawl/core';
import type { Store } from '@pawl/runtime/store';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SessionTemplate, ScheduleTiming } from '../src/index.ts';
import { registerScheduler } from '../src/schedule-registry.ts';
import { restoreSchedules } from '../src/restore-schedules.ts';
import { startScheduledRun } from '../src/schedules.ts';
import { submitSessionOnce } from '../src/submit-session.ts';
import { createScriptedFactory, createWorkerHarness, type WorkerHarness } from './harness.ts';
import { startRedis, type RedisServer } from './redis-server.ts';

const template: SessionTemplate = {
  goal: 'Look after it.',
  profile: 'pawl',
  settings: { governor: { preset: 'none', rules: {} } },
  metadata: { dir: '/somewhere' },
};

const answeringFactory = createScriptedFactory([{ text: 'It is fine.' }]);

describe('a schedule', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let place: WorkerHarness;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
  });

  afterAll(async () => server.stop());

  afterEach(async () => place.close());

  const loseQueues = async (): Promise<void> => {
    await place.redis.del(...(await place.redis.keys(`{${place.prefix}.*`)));
  };

  it('creates a session for each run, which workers complete', async () => {
    place = await createWorkerHarness(server);
    await place.queue.schedules.set('watch', { everyMs: 1_000 }, template);
    await place.work(answeringFactory);
    const ended = (): number => place.reports.filter(({ kind }) => kind === 'waiting').length;
    await expect.poll(ended).toBeGreaterThanOrEqual(3);
    expect(await place.queue.schedules.remove('watch')).toBe(true);
    const idle = { active: 0, waiting: 0, delayed: 0 };
    await expect.poll(async () => (await place.queue.depths())[0]).toMatchObject(idle);
    const all = await place.store.list();
    for (const { goal, metadata, status } of all.filter((each) => each.steps > 0)) {
      expect({ goal, status }).toEqual({ goal: 'Look after it.', status: 'waitingForUser' });
      expect(metadata).toMatchObject({ dir: '/somewhere', worker: { tenant: 'default' } });
    }
    // One second after the other, and none twice.
    const seconds = all.map(({ id }) => /^watch-(\d{8}T\d{6})Z-[\da-f]{8}$/.exec(id)?.[1]);
    expect(new Set(seconds).size).toBe(all.length);
    const fired = (): number => place.reports.filter(({ kind }) => kind === 'fired').length;
    await expect.poll(fired).toBe(all.length);
  });

  it('is listed with its tenant and next run, replaced under the same name, and removed', async () => {
    place = await createWorkerHarness(server);
    const { schedules } = place.queue;
    const cron = { cron: '0 3 * * *', tz: 'Europe/Zurich' };
    await schedules.set('nightly', { everyMs: 60_000 }, template);
    const next = await schedules.set('nightly', cron, { ...template, goal: 'Sleep.' });
    await schedules.set('nightly', { everyMs: 3_600_000 }, template, 'web');
    const all = await schedules.all();
    expect(all).toMatchObject([
      { name: 'nightly', tenant: 'default', when: cron, goal: 'Sleep.', next },
      { name: 'nightly', tenant: 'web', when: { everyMs: 3_600_000 }, goal: 'Look after it.' },
    ]);
    expect(new Date(next).getUTCMinutes()).toBe(0);
    expect([1, 2]).toContain(new Date(next).getUTCHours());
    // What is to come is no session that is delayed.
    expect((await place.queue.depths()).map(({ delayed }) => delayed)).toEqual([0, 0]);
    expect(await schedules.remove('nightly')).toBe(true);
    expect(await schedules.remove('nightly')).toBe(false);
    expect(await schedules.all()).toMatchObject([{ tenant: 'web' }]);
  });

  it('creates one session per scheduled run, however often its job is processed', async () => {
    place = await createWorkerHarness(server);
    const { store, queue } = place;
    const means = { store, queues: queue.parts.queues, owner: 'test' };
    const job = { id: 'repeat:nightly:1763200000000', data: { schedule: 'nightly', template } };
    const ids = await Promise.all([1, 2, 3, 4].map(() => startScheduledRun(job, 'default', means)));
    ids.push(await startScheduledRun(job, 'default', means));
    expect(new Set(ids).size).toBe(1);
    expect(await store.list()).toMatchObject([{ id: ids[0], head: 1 }]);
    expect((await queue.depths())[0]).toMatchObject({ waiting: 1 });
    await startScheduledRun(job, 'web', means);
    await startScheduledRun({ ...job, id: 'repeat:nightly:1763200000001' }, 'default', means);
    expect(await store.list()).toHaveLength(3);
    await expect(startScheduledRun({ ...job, id: 'odd' }, 'default', means)).rejects.toThrow(
      'does not end with a scheduled time',
    );
  });

  it('passes on the metadata of a template that an earlier version stored as `about`', async () => {
    place = await createWorkerHarness(server);
    const { store, queue } = place;
    const { metadata: about, ...rest } = template;
    const stored = { ...rest, about };
    const job = { id: 'repeat:nightly:1763200000000', data: { schedule: 'nightly', template: stored } };
    const context = { store, queues: queue.parts.queues, owner: 'test' };
    const id = await startScheduledRun(job, 'default', context);
    expect((await store.open(id)).metadata).toMatchObject({ dir: '/somewhere' });
  });

  it('completes a session whose creator crashed before adding the goal', async () => {
    place = await createWorkerHarness(server);
    const { store, queue } = place;
    const session = createSession({ id: 'half', at: 1 });
    await store.create(session, 'gone', { metadata: { worker: { tenant: 'default' } } });
    const means = { store, queues: queue.parts.queues };
    const options = { owner: 'test', now: 2 };
    await submitSessionOnce(means, { session, goal: 'Do it.' }, options);
    await submitSessionOnce(means, { session, goal: 'Do it.' }, options);
    expect(await store.open('half')).toMatchObject({ head: 1, owner: 'test' });
    expect(await store.list()).toMatchObject([{ goal: 'Do it.' }]);
  });

  it('adds the goal to a session only once, even if its creator does so at the last moment', async () => {
    place = await createWorkerHarness(server);
    const { store, queue } = place;
    const session = createSession({ id: 'slow', at: 1 });
    const at = await store.create(session, 'slow maker', { metadata: { worker: { tenant: 'default' } } });
    const message = { type: 'user-message', at: 1, text: 'Do it.' } as const;
    const late: Store = {
      ...store,
      async claim(id, owner, from) {
        await store.append(id, at, [message], step(session, message).session);
        return store.claim(id, owner, from);
      },
    };
    const means = { store: late, queues: queue.parts.queues };
    await submitSessionOnce(means, { session, goal: 'Do it.' }, { owner: 'test', now: 2 });
    expect(await store.open('slow')).toMatchObject({ head: 1 });
  });

  it('retries a scheduled run when Redis is full', async () => {
    const own = await startRedis();
    try {
      place = await createWorkerHarness(own);
      await place.queue.schedules.set('watch', { everyMs: 3_600_000 }, template);
      await place.redis.config('SET', 'maxmemory', '1');
      await place.work(answeringFactory, { leaseMs: 2_000 });
      await expect.poll(() => place.reports.some(({ kind }) => kind === 'trouble')).toBe(true);
      await place.redis.config('SET', 'maxmemory', '0');
      await expect.poll(async () => (await place.store.list()).length).toBe(1);
      await place.close();
    } finally {
      await own.stop();
    }
    place = await createWorkerHarness(server);
  });

  it('is restored by a worker after the queue has lost it, and continues', async () => {
    place = await createWorkerHarness(server);
    const { registry } = place.queue.parts;
    await place.queue.schedules.set('watch', { everyMs: 1_000 }, template);
    // One that was set just now is not put back yet: it may still be on its way to the queue.
    const definition = { when: { everyMs: 1_000 }, template, from: Date.now() - 60_000 };
    await registry.save({ tenant: 'default', name: 'watch' }, definition);
    await loseQueues();
    expect(await place.queue.schedules.all()).toMatchObject([{ name: 'watch', next: null }]);
    await place.work(answeringFactory, { sweepMs: 200 });
    const has = (kind: string) => () => place.reports.some((each) => each.kind === kind);
    await expect.poll(has('rescheduled')).toBe(true);
    await expect.poll(has('fired')).toBe(true);
    expect(place.reports).toContainEqual({ kind: 'rescheduled', schedule: 'watch', tenant: 'default' });
    // And it stays removed, also for those who knew of it.
    expect(await place.queue.schedules.remove('watch')).toBe(true);
    await place.queue.schedules.set('after', { everyMs: 1_000 }, template);
    const countRuns = (name: string): number =>
      place.reports.filter((each) => each.kind === 'fired' && each.session.startsWith(name)).length;
    // A run of the removed schedule may still be on its way when the other one runs for the first time.
    await expect.poll(() => countRuns('after')).toBeGreaterThanOrEqual(1);
    const before = countRuns('watch');
    await expect.poll(() => countRuns('after')).toBeGreaterThanOrEqual(3);
    expect(countRuns('watch')).toBe(before);
    expect(await place.queue.schedules.all()).toMatchObject([{ name: 'after' }]);
  });

  it('keeps its next run time, however many workers restore it concurrently', async () => {
    place = await createWorkerHarness(server);
    const { queues, registry } = place.queue.parts;
    const hour = 3_600_000;
    const first = await place.queue.schedules.set('watch', { everyMs: hour }, template);
    const cron = { cron: '0 3 * * *', tz: 'Europe/Zurich' };
    const nightly = await place.queue.schedules.set('nightly', cron, template, 'web');
    const restore = (now: number) => restoreSchedules({ queues, registry, now });
    const later = Date.now() + 60_000;
    expect(await restore(later)).toEqual([]);
    await loseQueues();
    // What was set just now is still on its way there.
    expect(await restore(Date.now())).toEqual([]);
    const put = await Promise.all([1, 2, 3, 4].map(() => restore(later)));
    expect(put.flat()).toContainEqual({ tenant: 'web', name: 'nightly' });
    const all = await place.queue.schedules.all();
    expect(all).toMatchObject([
      { name: 'watch', tenant: 'default', when: { everyMs: hour }, goal: 'Look after it.' },
      { name: 'nightly', tenant: 'web', when: cron, next: nightly },
    ]);
    // It is counted from when it was set, and not from when it was put back.
    expect(Math.abs((all[0]?.next ?? 0) - first - hour)).toBeLessThan(1_000);
    for (const tenant of ['default', 'web']) expect(await queues.getQueue(tenant).getDelayedCount()).toBe(1);
    expect(await restore(later)).toEqual([]);
  });

  it('stays removed or as last set, whatever a concurrent restore has read before', async () => {
    place = await createWorkerHarness(server);
    const { queues, registry } = place.queue.parts;
    const { schedules } = place.queue;
    const later = Date.now() + 60_000;
    await schedules.set('gone', { everyMs: 60_000 }, template);
    await schedules.set('changed', { everyMs: 60_000 }, template);
    const old = await registry.list();
    await schedules.remove('gone');
    await schedules.set('changed', { everyMs: 120_000 }, { ...template, goal: 'Sleep.' });
    await loseQueues();
    // One who has read them before, and is late.
    let looks = 0;
    const late = { ...registry, all: async () => ((looks += 1) === 1 ? old : registry.list()) };
    await restoreSchedules({ queues, registry: late, now: later });
    expect(await schedules.all()).toMatchObject([{ name: 'changed', goal: 'Sleep.' }]);
    expect(await queues.getQueue('default').getJobSchedulersCount()).toBe(1);
    // One who was gone in the middle of it has put back what was removed: the next one takes it out.
    const [entry] = old.filter(({ name }) => name === 'gone');
    const definition = entry?.definition ?? null;
    if (definition === null) throw new Error('It was not kept.');
    await registerScheduler(queues, { tenant: 'default', name: 'gone', definition });
    await restoreSchedules({ queues, registry, now: later });
    expect(await queues.getQueue('default').getJobScheduler('gone')).toBeUndefined();
    // What only the queue knew is known from now on, and what was removed long ago is forgotten.
    await registerScheduler(queues, { tenant: 'default', name: 'older', definition });
    await restoreSchedules({ queues, registry, now: later + 31 * 86_400_000 });
    const names = (await registry.list()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['changed', 'older']);
  });

  it('is ignored if it is invalid, and the others are still restored', async () => {
    place = await createWorkerHarness(server);
    const { queues, registry } = place.queue.parts;
    await place.queue.schedules.set('watch', { everyMs: 60_000 }, template);
    await loseQueues();
    const key = `${place.prefix}:schedules`;
    const odd = JSON.stringify({ when: { everyMs: 1 }, template, from: 1 });
    await place.redis.hset(key, '["default","odd"]', odd, 'no JSON', odd, '["a"]', odd, '["a","b"]', '{');
    await place.redis.hset(
      key,
      '["default","__proto__"]',
      JSON.stringify({ when: {}, template: {}, from: 1 }),
    );
    const restored = await restoreSchedules({ queues, registry, now: Date.now() + 60_000 });
    expect(restored).toEqual([{ tenant: 'default', name: 'watch' }]);
  });

  it.each<[string, ScheduleTiming, string]>([
    ['a name', { everyMs: 60_000 }, 'letters'],
    ['ok', { everyMs: 10 }, 'between one second and one year'],
    ['ok', { everyMs: Number.NaN }, 'between one second and one year'],
    ['ok', { cron: '0 3 * *' }, 'five parts'],
    ['ok', { cron: '61 3 * * *' }, 'is invalid'],
    ['ok', { cron: '0 0 30 2 *' }, 'is invalid'],
    ['ok', { cron: '0 3 * * *', tz: 'Mars/Olympus' }, 'no time zone'],
  ])('is rejected as %j with %j', async (name, when, reason) => {
    place = await createWorkerHarness(server);
    await expect(place.queue.schedules.set(name, when, template)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(reason),
    });
    expect(await place.queue.schedules.all()).toEqual([]);
  });
});

describe('limits and retention', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let place: WorkerHarness;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
  });

  afterAll(async () => server.stop());

  afterEach(async () => place.close());

  it('are shown as set, and can be removed', async () => {
    place = await createWorkerHarness(server);
    await place.queue.limit('web', { concurrency: 3, rate: { max: 10, perMs: 60_000 } });
    const getLimits = async () => (await place.queue.depths()).find(({ tenant }) => tenant === 'web')?.limits;
    expect(await getLimits()).toEqual({ concurrency: 3, rate: { max: 10, perMs: 60_000 } });
    await place.queue.limit('web', { rate: null });
    expect(await getLimits()).toEqual({ concurrency: 3, rate: null });
    await place.queue.limit('web', { concurrency: null });
    expect(await getLimits()).toEqual({ concurrency: null, rate: null });
  });

  it('are reapplied to a queue that was lost', async () => {
    place = await createWorkerHarness(server);
    const { queues } = place.queue.parts;
    const limits = { concurrency: 3, rate: { max: 10, perMs: 60_000 } };
    await place.queue.limit('web', limits);
    await place.queue.limit('shop', { concurrency: 2 });
    await place.queue.limit('shop', { concurrency: null });
    await place.redis.del(...(await place.redis.keys(`{${place.prefix}.*`)));
    const key = `${place.prefix}:limits`;
    await place.redis.hset(key, '["web","__proto__"]', '1', '["odd","concurrency"]', '"9"', 'no JSON', '{');
    await place.redis.hset(key, '{"length":-1}', '1', 'null', '1');
    expect(await queues.limits('web')).toEqual({ concurrency: null, rate: null });
    await place.work(answeringFactory);
    await expect.poll(() => queues.limits('web')).toEqual(limits);
    expect(await queues.limits('shop')).toEqual({ concurrency: null, rate: null });
    expect(await queues.limits('odd')).toEqual({ concurrency: null, rate: null });
  });

  it('remove sessions that ended long ago, and none that wait for a user or are dead letters', async () => {
    place = await createWorkerHarness(server);
    const longAgo = Date.now() - 10_000;
    for (const id of ['old', 'asked', 'parked']) await place.submit(id, 'Do it.', { now: longAgo });
    await place.work(answeringFactory);
    for (const id of ['old', 'asked', 'parked']) await place.until(id, 'waitingForUser');
    await place.submit('unfinished', 'Do it.', { now: longAgo, delayMs: 3_600_000 });
    await place.store.create(createSession({ id: 'by-hand', at: longAgo }), 'me', { createdAt: longAgo });
    await place.queue.parts.crashLedger.park({ session: 'parked', reason: 'odd', at: 1 });
    // What was worked on is as old as its last event; here it is made older.
    for (const id of ['old', 'asked', 'parked'])
      await place.redis.zadd(`${place.prefix}:sessions`, longAgo, id);
    await place.close();
    const next = await createWorkerHarness(server, place.prefix);
    place = next;
    await next.store.commands.send('asked', { kind: 'say', text: 'And now?' });
    const removed: string[] = [];
    const { removeExpiredSessions } = await import('../src/retention.ts');
    const asked = {
      prefix: place.prefix,
      before: Date.now() - 5_000,
      onRemoved: (id: string) => removed.push(id),
    };
    await removeExpiredSessions(place.redis, asked);
    expect(removed).toEqual(['old']);
    const left = (await place.store.list()).map(({ id }) => id).toSorted();
    expect(left).toEqual(['asked', 'by-hand', 'parked', 'unfinished']);
    await expect(place.store.open('old')).rejects.toMatchObject({ code: 'missing' });
    expect(await place.redis.keys(`${place.prefix}:{old}*`)).toEqual([]);
  });

  it('are applied by workers with a retention time', async () => {
    place = await createWorkerHarness(server);
    await place.submit('a');
    await place.submit('later', 'Do it.', { delayMs: 3_600_000 });
    await place.work(answeringFactory, { keepMs: 1_000, sweepMs: 100 });
    await expect.poll(() => place.reports).toContainEqual({ kind: 'removed', session: 'a' });
    expect((await place.store.list()).map(({ id }) => id)).toEqual(['later']);
  });
});
