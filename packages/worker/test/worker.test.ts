import { once } from 'node:events';
import { getConversation, createSession, type Event, type Session, toItemArray } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { defineTool } from '@pawl/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentFactory } from '../src/index.ts';
import { buildSessionKeys } from '../src/store/keys.ts';
import { sweepSessions } from '../src/sweep.ts';
import {
  createEffectTool,
  createScriptedFactory,
  createWorkerHarness,
  type WorkerHarness,
} from './harness.ts';
import { startRedis, type RedisServer } from './redis-server.ts';

function getLastReplyText(session: Session): string {
  const last = toItemArray(getConversation(session)).at(-1);
  return last?.role === 'assistant' ? last.text : '';
}

async function readEvents({ store }: WorkerHarness, id: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const { event } of store.events(id)) events.push(event);
  return events;
}

/** Looks for the same thing over and over, until it is told to answer. */
const loopingFactory: AgentFactory = async () => ({
  tools: [createEffectTool('search', async () => 'nothing')],
  model: {
    name: 'circling',
    async *stream(request) {
      const isLast = request.tools.length === 0;
      const calls = isLast ? [] : [{ tool: 'search', args: { query: 'the same' } }];
      yield { type: 'reply', text: isLast ? 'This is how far it came.' : 'Again.', calls };
    },
  },
});

describe('a worker', { tags: ['redis'] }, () => {
  let server: RedisServer;
  let place: WorkerHarness;

  beforeAll(async () => {
    server = await startRedis({ appendfsync: 'everysec' });
  });

  afterAll(async () => server.stop());

  afterEach(async () => place.close());

  it('takes a session from the queue in Redis and runs the whole agent in its own process [SAV-36, SAV-53, SAV-100, SAV-103, SAV-104]', async () => {
    place = await createWorkerHarness(server);
    const ran: string[] = [];
    const look = createEffectTool('look', async () => ran.push(`tool ${process.pid}`));
    const script = createScriptedFactory([{ calls: [{ tool: 'look', args: {} }] }, { text: 'All of it.' }], {
      tools: [look],
    });
    await place.submit('a', 'What is there?');
    await place.work(async (opened) => {
      const { model, ...rest } = await script(opened);
      const stream: typeof model.stream = (request, signal) => {
        ran.push(`model ${process.pid}`);
        return model.stream(request, signal);
      };
      return { ...rest, model: { ...model, stream } };
    });
    const session = await place.until('a', 'waitingForUser');
    expect(getLastReplyText(session)).toBe('All of it.');
    const { pid } = process;
    expect(ran).toEqual([`model ${pid}`, `tool ${pid}`, `model ${pid}`]);
    // Nothing listens here: what is asked of it comes by Redis.
    expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap');
    expect((await readEvents(place, 'a')).map(({ type }) => type)).toEqual([
      'user-message',
      'model-replied',
      'tool-started',
      'tool-finished',
      'model-replied',
    ]);
  });

  it('executes a command from another machine once', async () => {
    place = await createWorkerHarness(server);
    await place.submit('a', 'First.');
    await place.work(createScriptedFactory([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]));
    await place.until('a', 'waitingForUser');
    const elsewhere = await createWorkerHarness(server, place.prefix);
    await elsewhere.queue.send('a', { kind: 'say', text: 'Second.' });
    await expect.poll(async () => getLastReplyText((await place.store.open('a')).session)).toBe('Two.');
    await elsewhere.close();
    const steeredEvents = (await readEvents(place, 'a')).filter(({ type }) => type === 'steered');
    expect(steeredEvents).toMatchObject([{ text: 'Second.' }]);
    expect(await place.queue.parts.commands.listPending('a')).toEqual([]);
  });

  it('holds no lease while users decide, and continues with their decision', async () => {
    place = await createWorkerHarness(server);
    const ran: string[] = [];
    const write = createEffectTool('write', async () => ran.push('written'));
    const calls = [{ id: 'one', tool: 'write', args: {} }];
    await place.submit('a');
    await place.work(
      createScriptedFactory([{ calls }, { text: 'Done.' }], { tools: [write], rules: () => 'ask' }),
    );
    await place.until('a', 'awaitingPermission');
    await expect.poll(() => place.reports).toContainEqual({ kind: 'waiting', session: 'a' });
    await expect.poll(async () => (await place.queue.depths())[0]).toMatchObject({ active: 0, waiting: 0 });
    expect(ran).toEqual([]);
    await place.queue.send('a', { kind: 'decide', callId: 'one', decision: 'allow' });
    await place.until('a', 'waitingForUser');
    expect(ran).toEqual(['written']);
  });

  it('halts a session at once on request, and finishes one with a final answer', async () => {
    place = await createWorkerHarness(server);
    const started = Promise.withResolvers<void>();
    const endless: AgentFactory = async ({ session }) => ({
      tools: [createEffectTool('look', async () => null)],
      model: {
        name: 'endless',
        async *stream(request, signal) {
          started.resolve();
          if (session.id === 'hangs') {
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          }
          const isLast = request.tools.length === 0;
          const calls = isLast ? [] : [{ tool: 'look', args: { at: request.conversation.length } }];
          yield { type: 'reply', text: isLast ? 'So far.' : '', calls };
        },
      },
    });
    await place.submit('hangs');
    await place.submit('goes-on');
    await place.work(endless);
    await started.promise;
    await place.queue.send('hangs', { kind: 'halt', reason: 'enough' });
    await place.queue.send('goes-on', { kind: 'finish', reason: 'it is late' });
    expect((await place.until('hangs', 'halted')).turn).toMatchObject({
      haltReason: { kind: 'requested', reason: 'enough' },
    });
    expect(getLastReplyText(await place.until('goes-on', 'waitingForUser'))).toBe('So far.');
    await expect.poll(() => place.reports).toContainEqual({ kind: 'ended', session: 'hangs' });
  });

  it('releases its sessions when it is closed, and another worker continues them', async () => {
    place = await createWorkerHarness(server);
    const started = Promise.withResolvers<void>();
    const stuck: AgentFactory = async () => ({
      tools: [],
      model: {
        name: 'stuck',
        async *stream(_, signal) {
          started.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          yield { type: 'failure', error: { kind: 'network', message: 'called off' } };
        },
      },
    });
    await place.submit('a');
    const first = await place.work(stuck, { owner: 'first' });
    await started.promise;
    await first.close();
    expect(place.reports).toContainEqual({ kind: 'left', session: 'a' });
    expect((await place.queue.depths())[0]).toMatchObject({ waiting: 1, active: 0 });
    await place.work(createScriptedFactory([{ text: 'Here it is.' }]), { owner: 'second' });
    expect(getLastReplyText(await place.until('a', 'waitingForUser'))).toBe('Here it is.');
    expect((await place.store.open('a')).owner).toBe('second');
  });

  it('stops a session with a lost lease before it starts anything else, and runs nothing twice', async () => {
    place = await createWorkerHarness(server);
    const started: string[] = [];
    const startedOnce = Promise.withResolvers<void>();
    const slow = defineTool({
      name: 'slow',
      description: 'Takes until it is called off.',
      parameters: z.object({}),
      async run(_, { signal }) {
        started.push('slow');
        startedOnce.resolve();
        if (!signal.aborted) await once(signal, 'abort');
        return { ok: false, error: { kind: 'cancelled', message: 'It was called off.' } };
      },
    });
    const next = createEffectTool('next', async () => started.push('next'));
    const calls = [
      { id: 'one', tool: 'slow', args: {} },
      { id: 'two', tool: 'next', args: {} },
    ];
    await place.submit('a');
    await place.work(createScriptedFactory([{ calls }, { text: 'Done.' }], { tools: [slow, next] }), {
      leaseMs: 4_000,
    });
    await startedOnce.promise;
    const locks = await place.redis.keys(`{${place.prefix}.default}:*:lock`);
    expect(locks).toHaveLength(1);
    // As if it had given no sign of life for too long.
    await place.redis.del(...locks);
    await expect.poll(() => place.reports).toContainEqual({ kind: 'lost', session: 'a' });
    expect(started).toEqual(['slow']);
    expect(getLastReplyText(await place.until('a', 'waitingForUser'))).toBe('Done.');
    expect(started).toEqual(['slow', 'next']);
  });

  it('releases a session that another worker has claimed', async () => {
    place = await createWorkerHarness(server);
    const { parts } = place.queue;
    const looks = new Map<string, number>();
    const listPending: typeof parts.commands.listPending = (id) => {
      looks.set(id, (looks.get(id) ?? 0) + 1);
      return parts.commands.listPending(id);
    };
    const queue = { ...place.queue, parts: { ...parts, commands: { ...parts.commands, listPending } } };
    const asked = Promise.withResolvers<void>();
    const claimed = Promise.withResolvers<void>();
    const patient: AgentFactory = async ({ session }) => ({
      tools: [],
      model: {
        name: 'patient',
        async *stream() {
          asked.resolve();
          if (session.id === 'a') await claimed.promise;
          if (session.id === 'b') await expect.poll(() => looks.get('b')).toBeGreaterThanOrEqual(5);
          yield { type: 'reply', text: 'Done.', calls: [] };
        },
      },
    });
    await place.submit('a');
    await place.work(patient, { queue, sweepMs: 1_000_000 });
    await asked.promise;
    await place.store.claim('a', 'they');
    claimed.resolve();
    await expect.poll(() => place.reports).toContainEqual({ kind: 'lost', session: 'a' });
    const before = looks.get('a');
    await place.submit('b');
    await place.until('b', 'waitingForUser');
    expect(looks.get('a')).toBe(before);
    expect((await place.store.open('a')).owner).toBe('they');
    expect(await readEvents(place, 'a')).toHaveLength(1);
  });

  it('removes commands without effect and unreadable commands', async () => {
    place = await createWorkerHarness(server);
    await place.submit('a');
    await place.work(createScriptedFactory([{ text: 'One.' }]));
    const session = await place.until('a', 'waitingForUser');
    await place.redis.xadd(`${place.prefix}:{a}:commands`, '*', 'command', '{"kind":"__proto__"}');
    await place.queue.send('a', { kind: 'decide', callId: 'none', decision: 'allow' });
    await expect.poll(() => place.queue.parts.commands.listPending('a')).toEqual([]);
    expect(await place.store.open('a')).toMatchObject({ head: session.seq });
  });

  it('runs the whole governance of savant: modes, a stuck verdict and a forced end with a summary [SAV-01]', async () => {
    place = await createWorkerHarness(server);
    const savant = findProfile('savant');
    const session = createSession({
      id: 'a',
      at: Date.now(),
      profile: 'savant',
      settings: { ...savant?.settings },
    });
    await place.queue.submit(session, 'Find it.', { owner: 'test', now: Date.now() });
    await place.work(loopingFactory);
    const ended = await place.until('a', 'halted');
    expect(ended.turn).toMatchObject({ haltReason: { kind: 'stuck', rule: 'repeated_query' } });
    const states = ended.mode?.history.map(({ to }) => to);
    expect(states).toEqual(['SEARCHING', 'STUCK_SEARCH', 'FINISHING']);
    expect(getLastReplyText(ended)).toBe('This is how far it came.');
  });

  it('has one entry point, in a file of its own [SAV-102]', async () => {
    place = await createWorkerHarness(server);
    expect(Object.keys(await import('../src/worker.ts'))).toEqual(['startWorker']);
  });

  it('wakes sessions that the queue has lost, and none that wait for users', async () => {
    place = await createWorkerHarness(server);
    await place.submit('a');
    await place.submit('b');
    const keys = await place.redis.keys(`{${place.prefix}.*`);
    expect(keys.length).toBeGreaterThan(0);
    await place.redis.del(...keys);
    // Its first round sweeps, and no other comes before the end of the test.
    await place.work(createScriptedFactory([{ text: 'Found.' }]), { sweepMs: 1_000_000 });
    await place.until('a', 'waitingForUser');
    await place.until('b', 'waitingForUser');
    await expect.poll(async () => (await place.queue.depths())[0]).toMatchObject({ active: 0, waiting: 0 });
    const swept = place.reports.filter(({ kind }) => kind === 'swept');
    expect(swept).toHaveLength(2);
    const { redis, prefix, queue } = place;
    const means = { redis, prefix, ...queue.parts, now: Date.now(), newest: 10, older: 10 };
    expect(await sweepSessions(means)).toEqual([]);
  });

  it('moves a session whose agent factory fails to the dead letters, and continues it when it is retried', async () => {
    place = await createWorkerHarness(server);
    let isThere = false;
    const sometimes: AgentFactory = async (opened) => {
      if (!isThere) throw new Error('There is no such model.');
      return createScriptedFactory([{ text: 'Now.' }])(opened);
    };
    await place.submit('a');
    await place.work(sometimes);
    await expect
      .poll(async () => place.queue.parked())
      .toMatchObject([{ session: 'a', reason: 'There is no such model.' }]);
    isThere = true;
    expect(await place.queue.retry('a')).toBe(true);
    expect(getLastReplyText(await place.until('a', 'waitingForUser'))).toBe('Now.');
    expect(await place.queue.parked()).toEqual([]);
    expect(await place.queue.retry('a')).toBe(false);
  });

  it('moves a session with too many crashed attempts to the dead letters, and runs the others', async () => {
    place = await createWorkerHarness(server);
    await place.submit('bad');
    for (let crash = 0; crash < 3; crash += 1) await place.queue.parts.crashLedger.startAttempt('bad');
    await place.submit('good');
    await place.work(createScriptedFactory([{ text: 'Fine.' }]), { crashesMax: 3 });
    await place.until('good', 'waitingForUser');
    await expect
      .poll(async () => place.queue.parked())
      .toMatchObject([{ session: 'bad', reason: expect.stringContaining('3 times in a row') }]);
    expect(await place.store.open('bad')).toMatchObject({ head: 1 });
  });

  it('restarts the crash count of a session that made progress between two crashes', async () => {
    place = await createWorkerHarness(server);
    const { crashLedger } = place.queue.parts;
    const counts: (number | undefined)[] = [];
    for (const head of [1, 1, 2, 22, 22, 60]) {
      await place.redis.hset(buildSessionKeys(place.prefix, 'a').session, 'head', head);
      counts.push((await crashLedger.startAttempt('a'))?.count);
    }
    expect(counts).toEqual([1, 2, 3, 1, 2, 1]);
    await crashLedger.endAttempt('a');
    expect(await crashLedger.startAttempt('a')).toEqual({ head: 60, count: 1 });
  });

  it('does not park a session that was retried or ended normally since the decision', async () => {
    place = await createWorkerHarness(server);
    const { crashLedger } = place.queue.parts;
    await place.submit('a');
    const parked = { session: 'a', reason: 'too often', at: 1 };
    const waitForClaim = async (): Promise<void> => {
      for (let crash = 0; crash < 4; crash += 1) await crashLedger.startAttempt('a');
    };
    await waitForClaim();
    expect(await crashLedger.park(parked, 3)).toBe(true);
    // Another one had come to the same, and is late.
    expect(await crashLedger.unpark('a')).toBe(true);
    expect(await crashLedger.park(parked, 3)).toBe(false);
    await waitForClaim();
    await crashLedger.endAttempt('a');
    expect(await crashLedger.park(parked, 3)).toBe(false);
    expect(await crashLedger.reason('a')).toBeNull();
    expect(await crashLedger.parked()).toEqual([]);
    expect(await crashLedger.unpark('a')).toBe(false);
    expect(await crashLedger.park(parked)).toBe(true);
  });

  it('counts no attempt for a session that is a dead letter or does not exist', async () => {
    place = await createWorkerHarness(server);
    const { crashLedger } = place.queue.parts;
    expect(await crashLedger.startAttempt('a')).toBeNull();
    await place.submit('a');
    expect(await crashLedger.startAttempt('a')).toEqual({ head: 1, count: 1 });
    await crashLedger.park({ session: 'a', reason: 'dropped manually', at: 1 });
    expect(await crashLedger.startAttempt('a')).toBeNull();
    await crashLedger.unpark('a');
    expect(await crashLedger.startAttempt('a')).toEqual({ head: 1, count: 1 });
  });

  it('does not continue from a log that is shorter than before', async () => {
    place = await createWorkerHarness(server);
    await place.submit('a');
    await place.queue.parts.queues.wake({ session: 'b', version: 3 });
    const queue = place.queue.parts.queues.getQueue('default');
    await queue.obliterate({ force: true });
    await place.queue.parts.queues.wake({ session: 'a', version: 7 });
    await place.work(createScriptedFactory([{ text: 'Never.' }]));
    await expect
      .poll(async () => place.queue.parked())
      .toMatchObject([
        { session: 'a', reason: expect.stringContaining('ends at event 1, but it had reached 7') },
      ]);
    expect(await readEvents(place, 'a')).toHaveLength(1);
  });

  it('starts a delayed session no sooner than its delay, and takes the lowest priority number first', async () => {
    place = await createWorkerHarness(server);
    await place.submit('later', 'Do it.', { delayMs: 3_600_000 });
    for (const [id, priority] of [
      ['c', 30],
      ['a', 10],
      ['b', 20],
    ] as const)
      await place.submit(id, 'Do it.', { priority });
    expect((await place.queue.depths())[0]).toMatchObject({ waiting: 3, delayed: 1 });
    await place.work(createScriptedFactory([{ text: 'Done.' }]), { concurrency: 1 });
    for (const id of ['a', 'b', 'c']) await place.until(id, 'waitingForUser');
    const claims = place.reports
      .filter(({ kind }) => kind === 'taken')
      .map((report) => 'session' in report && report.session);
    expect(claims).toEqual(['a', 'b', 'c']);
    expect(await place.store.open('later')).toMatchObject({ head: 1 });
  });

  it('applies the limits of a tenant without delaying other tenants', async () => {
    place = await createWorkerHarness(server);
    const [running, most] = [new Map<string, number>(), new Map<string, number>()];
    const [twoOfY, allOfY] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const counted: AgentFactory = async ({ session }) => ({
      tools: [],
      model: {
        name: 'counted',
        async *stream() {
          const tenant = session.id.slice(0, 1);
          const now = (running.get(tenant) ?? 0) + 1;
          running.set(tenant, now);
          most.set(tenant, Math.max(most.get(tenant) ?? 0, now));
          // Each of x waits for all of y, so that others of x would begin meanwhile if they could.
          if (tenant === 'y' && now === 2) twoOfY.resolve();
          await (tenant === 'y' ? twoOfY : allOfY).promise;
          running.set(tenant, (running.get(tenant) ?? 0) - 1);
          yield { type: 'reply', text: 'Done.', calls: [] };
        },
      },
    });
    await place.queue.limit('x', { concurrency: 1 });
    await place.queue.limit('y', { rate: { max: 1_000, perMs: 1_000 } });
    const ids = ['x', 'y'].flatMap((tenant) =>
      Array.from({ length: 6 }, (_, index) => ({ tenant, id: `${tenant}${index}` })),
    );
    for (const { id, tenant } of ids) await place.submit(id, 'Do it.', { tenant });
    await place.work(counted, { concurrency: 6 });
    await place.work(counted, { concurrency: 6 });
    for (const { id } of ids.filter(({ tenant }) => tenant === 'y')) await place.until(id, 'waitingForUser');
    allOfY.resolve();
    for (const { id } of ids) await place.until(id, 'waitingForUser');
    expect(most.get('x')).toBe(1);
    expect(most.get('y')).toBeGreaterThan(1);
  });
});
