import { createSession, step } from '@pawl/core';
import { createMemoryStore, openSqliteStore, getOwnerState, type Store } from '@pawl/runtime/store';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { ApprovalList, EventsPage, SessionDetail, SessionList } from '../../src/api/index.ts';
import { deriveStableId } from '../../src/hosts/session-host.ts';
import { readStreamMessages, startTestServer, takeMessages } from './test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-dashboard-'));
afterAll(() => rmSync(folder, { recursive: true }));

const stores = [
  ['memory', createMemoryStore],
  ['SQLite', () => openSqliteStore(join(folder, 'sessions.db'))],
] as const;

it.each(stores)(
  'runs a session from its goal to its answer, with an approval given over HTTP, in %s',
  async (_, open) => {
    const received = Promise.withResolvers<void>();
    await using server = await startTestServer({
      store: open(),
      replies: [
        {
          text: 'I write it down. ',
          calls: [{ id: 'c1', tool: 'note', args: { text: 'hello' } }],
          before: received.promise,
        },
        { text: 'It is written down.' },
      ],
    });
    const { get, post } = server;
    const created = await post('/api/v1/sessions', { requestId: 'r1', goal: 'Write hello down' });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string };
    const stream = readStreamMessages(await get(`/api/v1/sessions/${id}/stream`));
    const asked = await takeMessages(stream, (all) => {
      // The reply completes only after part of it was received.
      if (all.some(({ event }) => event === 'live')) received.resolve();
      return all.some(({ data }) => isReply(data));
    });
    expect(asked.map(({ event }) => event)).toContain('live');

    await server.until(id, 'awaitingPermission');
    const { approvals } = (await (await get('/api/v1/approvals')).json()) as ApprovalList;
    expect(approvals).toMatchObject([
      {
        session: id,
        goal: 'Write hello down',
        callId: 'c1',
        tool: 'note',
        args: { text: 'hello' },
        risk: 'unknown',
      },
    ]);
    expect(approvals[0]?.about).toBe('note\ntext:\n  │ hello');
    expect(server.notes).toEqual([]);
    const { request, callId } = approvals[0] ?? { request: 0, callId: '' };
    const sent = await post(`/api/v1/sessions/${id}/commands`, {
      kind: 'decide',
      decision: 'allow',
      callId,
      request,
    });
    expect(sent.status).toBe(202);

    await server.until(id, 'waitingForUser');
    expect(server.notes).toEqual(['hello']);
    const detail = (await (await get(`/api/v1/sessions/${id}`)).json()) as SessionDetail;
    expect(detail).toMatchObject({
      goal: 'Write hello down',
      status: 'waitingForUser',
      steps: 2,
      toolCalls: 1,
      tokens: 30,
      asks: 0,
      holder: 'nobody',
      controllable: true,
      why: null,
      prompt: 'Be brief.',
      model: 'scripted',
    });
    expect(detail.tools?.map(({ name }) => name)).toEqual(['note']);
    expect(detail.created).toMatchObject({ id, seq: 0, turn: { status: 'waitingForUser' } });
    const page = (await (await get(`/api/v1/sessions/${id}/events`)).json()) as EventsPage;
    expect(page.events.map(({ event }) => event.type)).toEqual([
      'user-message',
      'model-replied',
      'permission-decided',
      'tool-started',
      'tool-finished',
      'model-replied',
    ]);
    expect(server.outages).toEqual([]);
  },
);

function isReply(data: unknown): boolean {
  return JSON.stringify(data).includes('model-replied');
}

it('creates one session per request id, however often and quickly the request is repeated', async () => {
  await using server = await startTestServer({ replies: [{ text: 'Yes.' }] });
  const body = { requestId: 'same', goal: 'Answer' };
  const answers = await Promise.all([1, 2, 3].map(() => server.post('/api/v1/sessions', body)));
  expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
  expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(2);
  const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
  expect(new Set(ids).size).toBe(1);
  await server.until(ids[0] ?? '', 'waitingForUser');
  const again = await server.post('/api/v1/sessions', body);
  expect(again.status).toBe(200);
  const { sessions } = (await (await server.get('/api/v1/sessions')).json()) as SessionList;
  expect(sessions.map(({ id }) => id)).toEqual([ids[0]]);
});

it('sets the goal of a session once if another process sets it at the last moment', async () => {
  const store = createMemoryStore();
  const id = deriveStableId('create', 'same');
  const session = createSession({ id, at: 1 });
  const at = await store.create(session, 'another process');
  const userMessage = { type: 'user-message', at: 1, text: 'Answer' } as const;
  let isSaid = false;
  const late: Store = {
    ...store,
    async claim(...asked) {
      if (!isSaid) await store.append(id, at, [userMessage], step(session, userMessage).session);
      isSaid = true;
      return store.claim(...asked);
    },
  };
  await using server = await startTestServer({ store: late, replies: [{ text: 'Yes.' }] });
  await server.post('/api/v1/sessions', { requestId: 'same', goal: 'Answer' });
  await expect.poll(() => readReplyTexts(server, id)).toEqual(['Yes.']);
  const { events } = (await (await server.get(`/api/v1/sessions/${id}/events`)).json()) as EventsPage;
  expect(events.filter(({ event }) => event.type === 'user-message')).toHaveLength(1);
});

it('resumes a waiting session when it receives a message', async () => {
  await using server = await startTestServer({ replies: [{ text: 'First.' }, { text: 'Second.' }] });
  const id = await server.begin('Count');
  await server.until(id, 'waitingForUser');
  const say = { kind: 'say', text: 'And now?', requestId: 'once' };
  const first = await server.post(`/api/v1/sessions/${id}/commands`, say);
  const second = await server.post(`/api/v1/sessions/${id}/commands`, say);
  expect(await first.json()).toEqual(await second.json());
  await expect.poll(() => readReplyTexts(server, id)).toEqual(['First.', 'Second.']);
});

async function readReplyTexts(
  server: Awaited<ReturnType<typeof startTestServer>>,
  id: string,
): Promise<readonly string[]> {
  const page = (await (await server.get(`/api/v1/sessions/${id}/events`)).json()) as EventsPage;
  return page.events.flatMap(({ event }) => (event.type === 'model-replied' ? [event.text] : []));
}

it('pauses a running session, resumes it, and stops it', async () => {
  const paused = Promise.withResolvers<void>();
  await using server = await startTestServer({
    replies: [{ text: 'one two three ', before: paused.promise }],
  });
  const id = await server.begin('Talk');
  const command = (body: object): Promise<Response> => server.post(`/api/v1/sessions/${id}/commands`, body);
  await command({ kind: 'pause' });
  await server.until(id, 'paused');
  paused.resolve();
  await command({ kind: 'resume' });
  await server.until(id, 'waitingForUser');
  await command({ kind: 'halt', reason: 'enough' });
  await server.until(id, 'halted');
  const detail = (await (await server.get(`/api/v1/sessions/${id}`)).json()) as SessionDetail;
  expect(detail).toMatchObject({
    stop: { kind: 'requested', rule: null, reason: 'enough' },
    controllable: false,
    why: 'This session is closed. Fork it to continue from an earlier event.',
  });
  const refused = await command({ kind: 'say', text: 'Still there?' });
  expect(refused.status).toBe(409);
});

it('denies a call with a reason, starts a phase, and requests an immediate answer', async () => {
  await using server = await startTestServer({
    replies: [
      { calls: [{ id: 'c1', tool: 'note', args: { text: 'no' } }] },
      { text: 'one two three four five six ' },
    ],
  });
  const id = await server.begin('Talk');
  const command = async (body: object): Promise<number> =>
    (await server.post(`/api/v1/sessions/${id}/commands`, body)).status;
  await server.until(id, 'awaitingPermission');
  expect(await command({ kind: 'decide', callId: 'c1', decision: 'deny', reason: 'not now' })).toBe(202);
  expect(await command({ kind: 'phase', number: 2, description: 'Tidy up' })).toBe(202);
  await server.until(id, 'waitingForUser');
  expect(await command({ kind: 'finish', reason: 'it is late' })).toBe(202);
  await expect.poll(() => readEventTypes(server, id)).toContain('phase-started');
  expect(server.notes).toEqual([]);
  const { events } = (await (await server.get(`/api/v1/sessions/${id}/events`)).json()) as EventsPage;
  expect(events.map(({ event }) => event)).toContainEqual(
    expect.objectContaining({ type: 'permission-decided', decision: 'deny', reason: 'not now' }),
  );
  const detail = (await (await server.get(`/api/v1/sessions/${id}`)).json()) as SessionDetail;
  expect(detail.phase).toEqual({ number: 2, description: 'Tidy up', total: null });
});

async function readEventTypes(
  server: Awaited<ReturnType<typeof startTestServer>>,
  id: string,
): Promise<readonly string[]> {
  const page = (await (await server.get(`/api/v1/sessions/${id}/events`)).json()) as EventsPage;
  return page.events.map(({ event }) => event.type);
}

it('releases a waiting session, so that other processes can resume it while the server runs', async () => {
  await using server = await startTestServer({ replies: [{ text: 'Yes.' }] });
  const id = await server.begin('Answer');
  await server.until(id, 'waitingForUser');
  await expect.poll(async () => getOwnerState((await server.store.open(id)).owner)).toBe('gone');
});

it('reports why a session could not be resumed, and keeps the pending command', async () => {
  await using server = await startTestServer({ whyNot: () => 'Only looking.' });
  await server.keep('other', [{ type: 'user-message', at: 2_000, text: 'Hello' }]);
  const refused = await server.post('/api/v1/sessions/other/commands', { kind: 'say', text: 'Hi' });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toEqual({ error: { code: 'conflict', message: 'Only looking.' } });
  expect(await server.store.commands.listPending('other')).toEqual([]);
});
