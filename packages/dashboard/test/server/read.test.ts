import { createSession, replay, type Event } from '@pawl/core';
import { createInMemoryStorage } from '@pawl/runtime/storage';
import { createMemoryStore, StoreError } from '@pawl/runtime/store';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../../../../scripts/testing/cpu-time.ts';
import type {
  EventsPage,
  FleetStatus,
  ModelPrompt,
  SessionDetail,
  SessionList,
  SessionListItem,
  StoredMemory,
} from '../../src/api/index.ts';
import { shortRunEvents, startTestServer, type TestServer } from './test-server.ts';

async function getJson<Answer>(server: TestServer, path: string): Promise<Answer> {
  const answer = await server.get(`/api/v1${path}`);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as Answer;
}

function throwDamaged(): never {
  throw new StoreError('damaged', 'session "cellar"');
}

describe('the list of sessions', () => {
  it('shows each session as its log describes it', async () => {
    await using server = await startTestServer();
    await server.keep('attic', shortRunEvents);
    const { sessions, next } = await getJson<SessionList>(server, '/sessions');
    expect(next).toBeNull();
    expect(sessions).toEqual([
      {
        id: 'attic',
        short: 'attic',
        goal: 'Sort the attic',
        profile: 'pawl',
        model: 'recorded',
        dir: '/somewhere',
        status: 'waitingForUser',
        mode: null,
        phase: null,
        stop: null,
        steps: 2,
        toolCalls: 1,
        tokens: 234,
        cost: 0.25,
        asks: 0,
        head: 5,
        createdAt: 1_000,
        updatedAt: 4_000,
        holder: 'elsewhere',
        parent: null,
      } satisfies SessionListItem,
    ]);
  });

  it('pages through all sessions without duplicates', async () => {
    await using server = await startTestServer();
    for (let number = 0; number < 7; number += 1) {
      await server.keep(`s${number}`, [
        { type: 'user-message', at: 2_000 + (number % 3), text: `goal ${number}` },
      ]);
    }
    const ids: string[] = [];
    let path = '/sessions?limit=3';
    for (let page = 0; page < 3; page += 1) {
      const { sessions, next } = await getJson<SessionList>(server, path);
      ids.push(...sessions.map(({ id }) => id));
      path = `/sessions?limit=3&cursor=${next ?? ''}`;
      expect(next === null).toBe(page === 2);
    }
    expect(ids).toEqual(['s2', 's5', 's1', 's4', 's0', 's3', 's6']);
  });

  it('finds sessions by their state and by words', async () => {
    await using server = await startTestServer();
    await server.keep('attic', shortRunEvents);
    await server.keep('cellar', [{ type: 'user-message', at: 2_000, text: 'Sort the Cellar' }]);
    const found = async (query: string): Promise<readonly string[]> =>
      (await getJson<SessionList>(server, `/sessions?${query}`)).sessions.map(({ id }) => id);
    expect(await found('q=cellar')).toEqual(['cellar']);
    expect(await found('q=SORT+the')).toHaveLength(2);
    expect(await found('q=sort+nothing')).toEqual([]);
    expect(await found('status=callingModel')).toEqual(['cellar']);
    expect(await found('status=callingModel,waitingForUser')).toHaveLength(2);
  });

  it('lists the other sessions if one cannot be read', async () => {
    const whole = createMemoryStore();
    await using server = await startTestServer({
      store: {
        ...whole,
        open: async (id, options) => (id === 'cellar' ? throwDamaged() : whole.open(id, options)),
      },
    });
    await server.keep('attic', shortRunEvents);
    await server.keep('cellar', shortRunEvents);
    const { sessions } = await getJson<SessionList>(server, '/sessions');
    expect(sessions.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'attic waitingForUser',
      'cellar damaged',
    ]);
    expect((await server.get('/api/v1/sessions/cellar')).status).toBe(410);
    expect((await getJson<FleetStatus>(server, '/fleet')).store.kind).toBe('memory');
    expect(await getJson(server, '/approvals')).toEqual({ approvals: [] });
  });

  it('responds promptly for a thousand sessions', async () => {
    await using server = await startTestServer();
    for (let number = 0; number < 1_000; number += 1) await server.keep(`s${number}`, shortRunEvents);
    const cpuMs = startCpuTimer();
    expect((await getJson<SessionList>(server, '/sessions?limit=100')).sessions).toHaveLength(100);
    expect(cpuMs()).toBeLessThan(15_000);
    expect((await getJson<SessionList>(server, '/sessions?limit=1000')).sessions).toHaveLength(1_000);
  });
});

/** The same call with the same result. */
function createLookEvents(at: number): readonly Event[] {
  return [
    {
      type: 'model-replied',
      at,
      text: '',
      calls: [{ id: `c${at}`, tool: 'look', args: { where: 'attic' } }],
    },
    { type: 'tool-finished', at, callId: `c${at}`, outcome: { ok: true, output: 'nothing' } },
  ];
}

describe('one session', () => {
  it('is returned in its initial state, and its events give its current state', async () => {
    await using server = await startTestServer();
    await server.keep('attic', shortRunEvents);
    const detail = await getJson<SessionDetail>(server, '/sessions/attic');
    const page = await getJson<EventsPage>(server, '/sessions/attic/events');
    const after = replay(
      detail.created,
      page.events.map(({ event }) => event),
    );
    expect(after).toEqual((await server.store.open('attic')).session);
    expect(page).toMatchObject({ head: 5, more: false });
  });

  it('may have any id, if it is URL-encoded', async () => {
    await using server = await startTestServer();
    const id = 'a/b ?#%é\u202e<img>';
    await server.keep(id, shortRunEvents);
    const detail = await getJson<SessionDetail>(server, `/sessions/${encodeURIComponent(id)}`);
    expect(detail.id).toBe(id);
    for (const odd of ['%E0%A4%A', '%', '..%2f..%2fetc', '__proto__', 'constructor']) {
      expect((await server.get(`/api/v1/sessions/${odd}`)).status, odd).toBe(404);
    }
  });

  it('is read in pages', async () => {
    await using server = await startTestServer();
    await server.keep('attic', shortRunEvents);
    const first = await getJson<EventsPage>(server, '/sessions/attic/events?limit=2');
    expect(first).toMatchObject({ head: 5, more: true });
    const second = await getJson<EventsPage>(server, '/sessions/attic/events?after=2&limit=3');
    expect(second).toMatchObject({ head: 5, more: false });
    expect([...first.events, ...second.events].map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('is compressed for clients that accept gzip', async () => {
    await using server = await startTestServer();
    const events = Array.from({ length: 500 }, (_, at): Event => ({
      type: 'steered',
      at,
      text: `again ${at}`,
    }));
    await server.keep('long', [{ type: 'user-message', at: 0, text: 'Go' }, ...events]);
    const answer = await server.get('/api/v1/sessions/long/events', { 'accept-encoding': 'gzip' });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(((await answer.json()) as EventsPage).events).toHaveLength(501);
  });

  it('shows exactly what was sent to the model', async () => {
    await using server = await startTestServer();
    const tools = [{ name: 'look', description: 'looks', parameters: { type: 'object' } }];
    await server.keep('attic', shortRunEvents, { prompt: 'Be brief.', tools });
    expect(await getJson<ModelPrompt>(server, '/sessions/attic/prompt?at=4')).toEqual({
      seq: 4,
      request: 4,
      attempt: 1,
      system: 'Be brief.',
      tools,
      messages: [
        { role: 'user', text: 'Sort the attic', at: 2_000 },
        {
          role: 'assistant',
          text: '',
          calls: [{ id: 'c1', tool: 'look', args: { where: 'attic' } }],
          at: 3_000,
        },
        { role: 'tool', callId: 'c1', tool: 'look', outcome: { ok: true, output: 'three boxes' }, at: 3_500 },
      ],
      injected: { advice: null, state: null },
      dropped: 0,
      missing: [],
    } satisfies ModelPrompt);
    const none = await server.get('/api/v1/sessions/attic/prompt?at=3');
    expect(none.status).toBe(404);
    await server.keep('bare', shortRunEvents);
    expect(await getJson<ModelPrompt>(server, '/sessions/bare/prompt?at=1')).toMatchObject({
      system: '',
      missing: ['prompt', 'tools'],
    });
  });

  it('is forked once per request id, and the fork runs independently', async () => {
    await using server = await startTestServer({ replies: [{ text: '' }, { text: 'Another way.' }] });
    await server.keep('attic', shortRunEvents);
    const fork = { at: 4, requestId: 'f1' };
    const first = await server.post('/api/v1/sessions/attic/fork', fork);
    const second = await server.post('/api/v1/sessions/attic/fork', fork);
    expect([first.status, second.status]).toEqual([201, 200]);
    const { id } = (await first.json()) as { id: string };
    expect(await second.json()).toEqual({ id });
    const other = await server.post('/api/v1/sessions/attic/fork', { at: 2, requestId: 'f1' });
    expect(other.status).toBe(409);
    const row = await getJson<SessionDetail>(server, `/sessions/${id}`);
    expect(row).toMatchObject({ parent: { id: 'attic', at: 4 }, status: 'callingModel', holder: 'nobody' });
    await server.post(`/api/v1/sessions/${id}/commands`, { kind: 'resume' });
    await server.until(id, 'waitingForUser');
    expect((await server.store.open('attic')).head).toBe(5);
    const beyond = await server.post('/api/v1/sessions/attic/fork', { at: 6 });
    expect(beyond.status).toBe(400);
  });

  it('searches its storage', async () => {
    await using server = await startTestServer({
      async openStorage(about) {
        if (about === null) return null;
        const storage = createInMemoryStorage();
        await storage.save([
          { key: 'attic:box', value: 'old letters', kind: 'entry', savedAt: 7 },
          { key: 'cellar:jar', value: 'plums', kind: 'entry', savedAt: 7 },
        ]);
        return storage;
      },
    });
    await server.keep('attic', shortRunEvents);
    await server.keep('nowhere', shortRunEvents, null);
    expect(await getJson<StoredMemory>(server, '/sessions/attic/memory?q=letters')).toEqual({
      entries: [{ key: 'attic:box', value: 'old letters', size: 11, at: 7 }],
    });
    expect((await getJson<StoredMemory>(server, '/sessions/attic/memory')).entries).toHaveLength(2);
    expect(await getJson<StoredMemory>(server, '/sessions/nowhere/memory')).toEqual({ entries: [] });
  });

  it('accepts and removes feedback on its verdicts', async () => {
    await using server = await startTestServer();
    const events: Event[] = [
      { type: 'user-message', at: 1, text: 'Look' },
      ...[2, 3, 4, 5].flatMap(createLookEvents),
    ];
    await server.keep('loop', events);
    let verdict: { seq: number; rule: string } | null = null;
    let session = createSession({ id: 'loop', at: 1_000 });
    const { step } = await import('@pawl/core');
    for (const event of events) {
      const { session: after, notes } = step(session, event);
      session = after;
      for (const note of notes)
        if (note.type === 'verdict') verdict ??= { seq: after.seq, rule: note.verdict.rule };
    }
    const { seq, rule } = verdict ?? { seq: 0, rule: '' };
    const mark = (body: object): Promise<Response> =>
      server.post(`/api/v1/sessions/loop/verdicts/${seq}`, body);
    expect(await (await mark({ mark: 'wrong', note: 'it was new' })).json()).toMatchObject({
      marks: [{ seq, rule, mark: 'wrong', note: 'it was new' }],
    });
    expect((await getJson<SessionDetail>(server, '/sessions/loop')).marks).toHaveLength(1);
    expect(await (await mark({ mark: null, rule })).json()).toEqual({ marks: [] });
    expect((await mark({ mark: 'right', rule: 'no such rule' })).status).toBe(404);
    expect((await server.post('/api/v1/sessions/loop/verdicts/1', { mark: 'right' })).status).toBe(404);
  });
});

it('reports the rates and the owner of each session', async () => {
  await using server = await startTestServer({ now: () => 5_000 });
  await server.keep('attic', shortRunEvents);
  await server.keep('open', [{ type: 'user-message', at: 4_000, text: 'Go' }]);
  const fleet = await getJson<FleetStatus>(server, '/fleet');
  expect(fleet).toMatchObject({
    store: { kind: 'memory', where: null },
    workers: [],
    queues: [],
    parked: [],
    held: [],
    leases: [{ session: 'open', owner: 'somebody', state: 'unknown' }],
  });
  expect(fleet.rates).toEqual({ events: 6 / 5, modelCalls: 2 / 5, toolCalls: 1 / 5, tokens: 234 / 5 });
});

it('reports its health and its routes', async () => {
  await using server = await startTestServer({ version: '1.2.3', now: () => 9 });
  expect(await getJson(server, '/health')).toEqual({ ok: true, version: '1.2.3', now: 9 });
  const { paths } = await getJson<{ paths: Record<string, object> }>(server, '/openapi.json');
  expect(Object.keys(paths)).toContain('/api/v1/sessions/{id}/commands');
  expect((await server.get('/api/v1/nothing')).status).toBe(404);
  expect((await server.get('/metrics')).status).toBe(404);
  expect((await server.get('/api/v1/sessions/none')).status).toBe(404);
  expect((await server.get('/api/v1/sessions/none/events')).status).toBe(404);
  expect((await server.get('/api/v1/sessions/none/stream')).status).toBe(404);
});

it('forwards the metrics of an external source', async () => {
  await using server = await startTestServer({ metrics: async () => 'pawl_sessions 3\n' });
  expect(await (await server.get('/metrics')).text()).toBe('pawl_sessions 3\n');
});
