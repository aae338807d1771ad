import { step, type Event } from '@pawl/core';
import { openSqliteStore } from '@pawl/runtime/store';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { NumberedEvent, SessionListItem } from '../../src/api/index.ts';
import {
  readStreamMessages,
  shortRunEvents,
  startTestServer,
  takeMessages,
  type TestServer,
} from './test-server.ts';

/** Adds an event to a session without a holder, as another process would. */
async function appendEvent({ store }: Pick<TestServer, 'store'>, id: string, event: Event): Promise<void> {
  const position = await store.claim(id, 'another process');
  const { session } = await store.open(id);
  await store.append(id, position, [event], step(session, event).session);
}

function listStoredIds(
  all: readonly { readonly event: string; readonly id: string | null }[],
): readonly string[] {
  return all.filter(({ event }) => event === 'kept').map(({ id }) => id ?? '');
}

it('sends existing and new events with their numbers', async () => {
  await using server = await startTestServer();
  await server.keep('attic', shortRunEvents);
  const stream = readStreamMessages(await server.get('/api/v1/sessions/attic/stream'));
  const first = await stream.next();
  expect(first.value).toMatchObject({ event: 'kept', id: '1', data: { seq: 1, event: shortRunEvents[0] } });
  await appendEvent(server, 'attic', { type: 'user-message', at: 9_000, text: 'And now?' });
  const rest = await takeMessages(stream, (all) => all.at(-1)?.id === '6');
  expect(listStoredIds(rest)).toEqual(['2', '3', '4', '5', '6']);
  expect(rest.at(-1)?.data as NumberedEvent).toMatchObject({ seq: 6, event: { text: 'And now?' } });
});

it('continues after the last event that a client received', async () => {
  await using server = await startTestServer();
  await server.keep('attic', shortRunEvents);
  const path = '/api/v1/sessions/attic/stream';
  const byHeader = readStreamMessages(await server.get(path, { 'last-event-id': '3' }));
  expect(listStoredIds(await takeMessages(byHeader, (all) => all.length === 2))).toEqual(['4', '5']);
  const byQuery = readStreamMessages(await server.get(`${path}?after=4`));
  expect(listStoredIds(await takeMessages(byQuery, (all) => all.length === 1))).toEqual(['5']);
  // A reconnecting browser sends the header; the address is still the original one.
  const both = readStreamMessages(await server.get(`${path}?after=0`, { 'last-event-id': '4' }));
  expect(listStoredIds(await takeMessages(both, (all) => all.length === 1))).toEqual(['5']);
  expect((await server.get(path, { 'last-event-id': 'four' })).status).toBe(400);
  // A client that claims an event beyond the head starts with the next event.
  const ahead = readStreamMessages(await server.get(path, { 'last-event-id': '999999' }));
  await appendEvent(server, 'attic', { type: 'user-message', at: 9_000, text: 'And now?' });
  expect(listStoredIds(await takeMessages(ahead, (all) => all.length === 1))).toEqual(['6']);
});

it('loses and duplicates no event for a client that reconnects repeatedly while events arrive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-dashboard-'));
  const store = openSqliteStore(join(folder, 'sessions.db'));
  {
    await using server = await startTestServer({ store });
    await server.keep('attic', [{ type: 'user-message', at: 1, text: 'Go' }]);
    const adding = (async () => {
      for (let at = 2; at <= 40; at += 1) {
        await appendEvent(server, 'attic', { type: 'steered', at, text: `word ${at}` });
        await sleep(3);
      }
    })();
    const got: string[] = [];
    while (got.length < 40) {
      const stream = readStreamMessages(
        await server.get('/api/v1/sessions/attic/stream', { 'last-event-id': got.at(-1) ?? '0' }),
      );
      got.push(...listStoredIds(await takeMessages(stream, (all) => listStoredIds(all).length === 4)));
    }
    await adding;
    expect(got).toEqual(Array.from({ length: 40 }, (_, index) => String(index + 1)));
  }
  rmSync(folder, { recursive: true });
});

it('reports added, changed and removed rows', async () => {
  await using server = await startTestServer({ now: () => 6_000 });
  await server.keep('attic', shortRunEvents);
  const stream = readStreamMessages(await server.get('/api/v1/sessions/stream'));
  // Recent changes arrive first, after the server has polled the list.
  const { value: latest } = await stream.next();
  expect(latest).toMatchObject({ event: 'session', data: { id: 'attic' } });
  await server.keep('cellar', [{ type: 'user-message', at: 1, text: 'Dig' }]);
  const { value: first } = await stream.next();
  expect(first).toMatchObject({
    event: 'session',
    data: { id: 'cellar', goal: 'Dig', status: 'callingModel' },
  });
  await appendEvent(server, 'cellar', {
    type: 'model-replied',
    at: 2,
    text: '',
    calls: [{ id: 'c', tool: 'dig', args: {}, permission: 'ask' }],
  });
  const { value: second } = await stream.next();
  expect(second?.data as SessionListItem).toMatchObject({
    id: 'cellar',
    asks: 1,
    status: 'awaitingPermission',
  });
  await server.store.remove('attic');
  const { value: third } = await stream.next();
  expect(third).toMatchObject({ event: 'removed', data: { id: 'attic' } });
  await stream.return(undefined);
});

it('sends the latest changes to a new client', async () => {
  await using server = await startTestServer({ now: () => 6_000 });
  await server.keep('attic', shortRunEvents);
  const { value } = await readStreamMessages(await server.get('/api/v1/sessions/stream')).next();
  expect(value).toMatchObject({ event: 'session', data: { id: 'attic' } });
});

it('sends the owner of the session and live text', async () => {
  const received = Promise.withResolvers<void>();
  await using server = await startTestServer({
    replies: [{ text: 'word '.repeat(15), before: received.promise }],
  });
  const id = await server.begin('Count');
  const stream = readStreamMessages(await server.get(`/api/v1/sessions/${id}/stream`));
  const all = await takeMessages(stream, (got) => {
    // The reply completes only after part of it was received.
    if (got.filter(({ event }) => event === 'live').length > 1) received.resolve();
    return got.some(({ data }) => JSON.stringify(data).includes('"model-replied"'));
  });
  const live = all.filter(({ event }) => event === 'live');
  expect(live.length).toBeGreaterThan(1);
  expect(live.every(({ id: number }) => number === null)).toBe(true);
  const holders = await takeMessages(readStreamMessages(await server.get(`/api/v1/sessions/stream`)), (got) =>
    got.some(({ data }) => (data as SessionListItem).holder === 'nobody'),
  );
  expect(holders.at(-1)?.data).toMatchObject({ id, holder: 'nobody' });
});

it('disconnects a slow client after a small buffer, and the client resumes where it was', async () => {
  // The limit is one stream, so a new stream opens only after the first one has ended.
  await using server = await startTestServer({ slowMs: 1_000, streamsMax: 1 });
  const long = 'x'.repeat(200_000);
  await server.keep('long', [
    { type: 'user-message', at: 1, text: 'Go' },
    ...Array.from({ length: 100 }, (_, at): Event => ({ type: 'steered', at, text: long })),
  ]);
  const { port } = server.running;
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.write(
    `GET /api/v1/sessions/long/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
  );
  // It reads the beginning and then nothing more.
  await once(socket, 'data');
  socket.pause();
  const next = (): Promise<Response> => server.get('/api/v1/sessions/long/stream', { 'last-event-id': '99' });
  await expect.poll(async () => getResponseStatus(await next())).toBe(200);
  socket.resume();
  let bytes = 0;
  socket.on('data', (piece: Buffer) => (bytes += piece.length));
  await closed;
  expect(bytes).toBeLessThan(15_000_000);
  const stream = readStreamMessages(await retryUntilOk(next));
  expect(listStoredIds(await takeMessages(stream, (all) => all.length === 2))).toEqual(['100', '101']);
});

async function getResponseStatus(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

async function retryUntilOk(ask: () => Promise<Response>): Promise<Response> {
  const answers: Response[] = [];
  await expect
    .poll(async () => {
      const answer = await ask();
      if (answer.status === 200) answers.push(answer);
      else await answer.body?.cancel();
      return answers.length;
    })
    .toBe(1);
  const [answer] = answers;
  if (answer === undefined) throw new Error('There is no answer.');
  return answer;
}

it('limits the number of streams, and frees the slot of a closed one', async () => {
  await using server = await startTestServer({ streamsMax: 2 });
  const open = (): Promise<Response> => server.get('/api/v1/sessions/stream');
  const [first, second] = [await open(), await open()];
  const third = await open();
  expect(third.status).toBe(429);
  await third.body?.cancel();
  await first.body?.cancel();
  await expect
    .poll(async () => {
      const again = await open();
      await again.body?.cancel();
      return again.status;
    })
    .toBe(200);
  await second.body?.cancel();
});

it('ends the stream of a session that is removed', async () => {
  await using server = await startTestServer();
  await server.keep('attic', shortRunEvents);
  const stream = readStreamMessages(await server.get('/api/v1/sessions/attic/stream?after=4'));
  await stream.next();
  await server.store.remove('attic');
  expect((await stream.next()).done).toBe(true);
  expect((await server.get('/api/v1/sessions/attic/stream')).status).toBe(404);
});
