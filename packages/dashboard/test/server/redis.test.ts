import { createSession, iterateItems } from '@pawl/core';
import { defineTool } from '@pawl/runtime';
import { getProcessOwner, type Store } from '@pawl/runtime/store';
import {
  connectRedis,
  createRedisStore,
  createSessionQueue,
  startWorker,
  type SessionQueue,
} from '@pawl/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { startRedis, type RedisServer } from '../../../worker/test/redis-server.ts';
import type { ApprovalList, FleetStatus, SessionDetail } from '../../src/api/index.ts';
import { createQueueHost, type SessionHost } from '../../src/index.ts';
import { readStreamMessages, startTestServer, takeMessages } from './test-server.ts';

/** Submits sessions for workers to the queue. */
const createTestQueueHost =
  (queue: SessionQueue) =>
  (local: SessionHost, store: Store): SessionHost =>
    createQueueHost({
      store,
      queue,
      owner: getProcessOwner(),
      now: Date.now,
      local,
      prepare: async (_, id) => ({
        session: createSession({ id, at: Date.now() }),
        metadata: { dir: '/somewhere' },
      }),
    });

describe('a dashboard on Redis', { tags: ['redis'] }, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('passes sessions and their commands to workers', async () => {
    const connection = await connectRedis(redis.url, { waitMs: 5_000 });
    const store = createRedisStore(connection.redis);
    const queue = createSessionQueue(connection.redis, store);
    const noted: string[] = [];
    const worker = await startWorker({
      redis: connection.redis,
      store,
      queue,
      pollMs: 50,
      agentFactory: async ({ waitForPerson }) => ({
        rules: () => 'ask',
        decide: (_, signal) => waitForPerson(signal),
        tools: [
          defineTool({
            name: 'note',
            description: 'writes something down',
            parameters: z.object({ text: z.string() }),
            async run({ text }) {
              noted.push(text);
              return { ok: true, output: 'noted' };
            },
          }),
        ],
        model: {
          name: 'scripted',
          async *stream({ conversation }) {
            const isFirst = [...iterateItems(conversation)].every(({ role }) => role !== 'assistant');
            const calls = isFirst ? [{ id: 'c1', tool: 'note', args: { text: 'hello' } }] : [];
            yield { type: 'reply', text: isFirst ? '' : 'Done.', calls };
          },
        },
      }),
    });
    {
      await using server = await startTestServer({ store, hostFor: createTestQueueHost(queue) });
      const body = { requestId: 'r1', goal: 'Write hello down' };
      const created = await server.post('/api/v1/sessions', body);
      expect(created.status).toBe(201);
      const { id } = (await created.json()) as { id: string };
      expect((await server.post('/api/v1/sessions', body)).status).toBe(200);
      const stream = readStreamMessages(await server.get(`/api/v1/sessions/${id}/stream`));

      await expect
        .poll(async () => ((await (await server.get('/api/v1/approvals')).json()) as ApprovalList).approvals)
        .toMatchObject([{ session: id, callId: 'c1', tool: 'note' }]);
      const fleet = (await (await server.get('/api/v1/fleet')).json()) as FleetStatus;
      expect(fleet.workers).toHaveLength(1);
      expect(fleet.queues).toMatchObject([{ tenant: 'default', stalled: 0 }]);

      const allow = { kind: 'decide', callId: 'c1', decision: 'allow', requestId: 'yes' };
      const sent = await server.post(`/api/v1/sessions/${id}/commands`, allow);
      const again = await server.post(`/api/v1/sessions/${id}/commands`, allow);
      expect(await again.json()).toEqual(await sent.json());
      const got = await takeMessages(stream, (all) => JSON.stringify(all.at(-1)?.data).includes('Done.'));
      expect(got.filter(({ event }) => event === 'kept').map(({ id: seq }) => Number(seq))).toEqual(
        got.map((_, index) => index + 1).slice(0, got.filter(({ event }) => event === 'kept').length),
      );
      expect(noted).toEqual(['hello']);
      const detail = (await (await server.get(`/api/v1/sessions/${id}`)).json()) as SessionDetail;
      expect(detail).toMatchObject({ status: 'waitingForUser', toolCalls: 1, holder: 'nobody' });
      await worker.close();
      await queue.close();
    }
    await connection.close();
  });

  it('runs a session in Redis that is not assigned to workers', async () => {
    const connection = await connectRedis(redis.url, { waitMs: 5_000 });
    const store = createRedisStore(connection.redis);
    const queue = createSessionQueue(connection.redis, store);
    {
      await using server = await startTestServer({
        store,
        hostFor: createTestQueueHost(queue),
        replies: [{ text: 'Here I am.' }],
      });
      const deadOwner = getProcessOwner().replace(/ pid=\d+ start=\S+$/, ' pid=2147483647 start=-');
      await store.create(createSession({ id: 'by-hand', at: 1 }), deadOwner, {
        metadata: { dir: '/somewhere' },
      });
      await server.post('/api/v1/sessions/by-hand/commands', { kind: 'say', text: 'Hello' });
      await expect.poll(async () => (await store.open('by-hand')).session.turn.status).toBe('waitingForUser');
      await expect.poll(async () => (await store.open('by-hand')).head).toBeGreaterThan(1);
      await queue.close();
    }
    await connection.close();
  });
});
