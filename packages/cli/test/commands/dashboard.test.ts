import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { detectSandbox } from '@pawl/runtime/sandbox';
import { getOwnerState, getProcessOwner } from '@pawl/runtime/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startEmbeddedDashboard } from '../../src/dashboard/embedded-dashboard.ts';
import { createDashboardFeedback } from '../../src/dashboard/dependencies.ts';
import { runDashboard, type DashboardFlags } from '../../src/commands/dashboard/action.ts';
import { runProxy } from '../../src/commands/proxy/action.ts';
import { createFeedbackFile, readFeedbackFile } from '../../src/sessions/verdict-feedback-file.ts';
import { openConfiguredStore } from '../../src/sessions/store-option.ts';
import { captureIo } from '../capture-io.ts';
import { startOpenAiServer, type OpenAiServer } from '../openai-server.ts';

let folder = '';
let model: OpenAiServer;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-dashboard-')));
  writeFileSync(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
  model = await startOpenAiServer();
  vi.stubEnv('PAWL_MODEL', 'openai-compatible:m');
  vi.stubEnv('PAWL_BASE_URL', model.url);
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  vi.unstubAllEnvs();
  model.close();
  rmSync(folder, { recursive: true, force: true });
});

type RunningTestDashboard = {
  readonly url: string;
  readonly call: (path: string, body?: object) => Promise<Response>;
  readonly out: () => string;
  readonly end: () => Promise<number>;
};

/** Starts a dashboard in this process, with a client that has logged in through its link. */
async function startTestDashboard(more: Partial<DashboardFlags> = {}): Promise<RunningTestDashboard> {
  const stop = new AbortController();
  const captured = captureIo();
  const flags = {
    dir: folder,
    store: join(folder, 's.db'),
    port: '0',
    json: true,
    signal: stop.signal,
    ...more,
  };
  const ended = runDashboard(flags, captured.io);
  const end = (): Promise<number> => {
    stop.abort();
    return ended;
  };
  cleanUps.push(end);
  await expect.poll(captured.out).toContain('\n');
  const { url, login } = JSON.parse(captured.out().split('\n')[0] ?? '') as { url: string; login: string };
  const answer = await fetch(login, { redirect: 'manual' });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const call: RunningTestDashboard['call'] = (path, body) =>
    fetch(`${url}/api/v1${path}`, {
      headers: { cookie, ...(body !== undefined && { 'x-pawl': '1', 'content-type': 'application/json' }) },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  return { url, call, out: captured.out, end };
}

async function readResponseJson<Answer>(answer: Promise<Response>): Promise<Answer> {
  return (await (await answer).json()) as Answer;
}

describe('pawl dashboard', () => {
  it('shows a conversation from the proxy as not controllable', async () => {
    model.says = () => 'On the ninth of June.';
    const stop = new AbortController();
    const { io, out } = captureIo();
    const upstream = new URL(model.url).origin;
    const flags = { upstream, port: '0', dir: folder, store: join(folder, 's.db'), json: true };
    const proxied = runProxy({ ...flags, signal: stop.signal }, io);
    await expect.poll(out).toContain('\n');
    const { url: at } = JSON.parse(out()) as { readonly url: string };
    const messages = [{ role: 'user', content: 'When is the garden party?' }];
    const body = JSON.stringify({ model: 'm', stream: true, tools: [{}], messages });
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${at}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(await reply.text()).toContain('ninth');
    stop.abort();
    await proxied;
    const { call } = await startTestDashboard();
    type Listed = { readonly sessions: readonly { readonly id: string; readonly goal: string }[] };
    const { sessions } = await readResponseJson<Listed>(call('/sessions'));
    expect(sessions).toMatchObject([{ goal: 'When is the garden party?', model: 'm' }]);
    const detail = await readResponseJson<object>(call(`/sessions/${sessions[0]?.id ?? ''}`));
    expect(detail).toMatchObject({ status: 'waitingForUser', controllable: false });
  });

  it('starts a session in a folder, waits for approval, and writes the file', async () => {
    model.says = (request) =>
      request === 1
        ? { tool: 'write', args: { path: 'plan.md', content: 'Plant roses.' } }
        : 'It is planned.';
    const { call, end } = await startTestDashboard();
    const { id } = await readResponseJson<{ id: string }>(
      call('/sessions', { requestId: 'r', goal: 'Plan the garden' }),
    );
    type Asked = { approvals: { callId: string; request: number; risk: string }[] };
    await expect
      .poll(async () => (await readResponseJson<Asked>(call('/approvals'))).approvals.length)
      .toBe(1);
    const { approvals } = await readResponseJson<Asked>(call('/approvals'));
    expect(approvals[0]).toMatchObject({ session: id, tool: 'write', risk: 'changes' });
    expect(existsSync(join(folder, 'plan.md'))).toBe(false);
    const { callId = '', request = 0 } = approvals[0] ?? {};
    await call(`/sessions/${id}/commands`, { kind: 'decide', decision: 'allow', callId, request });
    await expect
      .poll(async () => (await readResponseJson<{ status: string }>(call(`/sessions/${id}`))).status)
      .toBe('waitingForUser');
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('Plant roses.');
    const prompt = await readResponseJson<{ system: string; tools: { name: string }[]; missing: string[] }>(
      call(`/sessions/${id}/prompt?at=1`),
    );
    expect(prompt.missing).toEqual([]);
    expect(prompt.tools.map(({ name }) => name)).toContain('write');
    expect(await readResponseJson(call('/fleet'))).toMatchObject({
      store: { kind: 'sqlite', where: join(folder, 's.db') },
    });
    expect(await end()).toBe(0);
    const opened = await openConfiguredStore({ dir: folder, store: join(folder, 's.db') });
    const { owner, metadata } = await opened.store.open(id);
    expect(getOwnerState(owner)).toBe('gone');
    expect(metadata).toMatchObject({ dir: folder, model: 'openai-compatible:m' });
    await opened.close();
  });

  it('reports an invalid request and starts nothing', async () => {
    const { call } = await startTestDashboard();
    const begin = async (more: object): Promise<string> => {
      const answer = await call('/sessions', { requestId: crypto.randomUUID(), goal: 'Go', ...more });
      const { error } = (await answer.json()) as { error: { message: string } };
      return `${answer.status} ${error.message}`;
    };
    expect(await begin({ dir: '/nowhere/at/all' })).toBe(
      '400 Folder "/nowhere/at/all" does not exist. Check the path.',
    );
    expect(await begin({ profile: 'pwal' })).toMatch(/^400 Unknown profile "pwal"\. /);
    expect(await begin({ profile: 'lkj' })).toMatch(/^400 The profile lkj stores its memory in files/);
    expect(await begin({ model: 'nobody:m' })).toMatch(/^400 /);
    expect(await readResponseJson(call('/sessions'))).toEqual({ sessions: [], next: null });
  });

  it('prints its address and never the token', async () => {
    vi.stubEnv('PAWL_DASHBOARD_TOKEN', 'chosen-by-the-user-1');
    const stop = new AbortController();
    const captured = captureIo();
    const flags = { dir: folder, store: 'none', port: '0', signal: stop.signal };
    const ended = runDashboard(flags, captured.io);
    await expect.poll(captured.out).toContain('login link');
    expect(captured.out()).toMatch(
      /^The dashboard is at http:\/\/127\.0\.0\.1:\d+\nOne-time login link: http:\/\/127\.0\.0\.1:\d+\/login\?code=[\w-]{43}\n$/,
    );
    expect(captured.out()).not.toContain('chosen-by-the-user-1');
    const url = /http:\S+/.exec(captured.out())?.[0] ?? '';
    const headers = { authorization: 'Bearer chosen-by-the-user-1' };
    expect((await fetch(`${url}/api/v1/health`, { headers })).status).toBe(200);
    stop.abort();
    expect(await ended).toBe(0);
  });

  it('rejects a public host without a token, and an invalid or used port', async () => {
    const { signal } = new AbortController();
    const listen = (more: Partial<DashboardFlags>): Promise<number> =>
      runDashboard({ dir: folder, store: 'none', signal, ...more }, captureIo().io);
    await expect(listen({ host: '0.0.0.0' })).rejects.toThrow('PAWL_DASHBOARD_TOKEN');
    await expect(listen({ port: '70000' })).rejects.toThrow('--port must be a whole number from 0 to 65535');
    await expect(listen({ port: 'x' })).rejects.toThrow('--port');
    const portHolder = createServer().listen(0, '127.0.0.1');
    await once(portHolder, 'listening');
    const { port } = portHolder.address() as AddressInfo;
    await expect(listen({ port: String(port) })).rejects.toThrow('something else listens there');
    portHolder.close();
  });

  it('uses any free port if the default port is taken', async () => {
    const first = await startTestDashboard({ port: undefined, store: 'none' });
    const second = await startTestDashboard({ port: undefined, store: 'none' });
    expect(first.url).not.toBe(second.url);
    expect((await second.call('/health')).status).toBe(200);
  });

  it('shows a database of another user and runs none of its sessions', async () => {
    const file = join(folder, 'theirs.db');
    const theirs = await openConfiguredStore({ dir: folder, store: file });
    await theirs.store.create(createSession({ id: 'bad', at: 1 }), 'x', {
      metadata: { dir: folder, model: 'openai-compatible:m', profile: 'pawl' },
    });
    await theirs.close();
    // The ownership record distinguishes it from a database that came with the folder.
    vi.stubEnv('XDG_DATA_HOME', join(folder, 'another-user'));
    const { call } = await startTestDashboard({ store: file });
    const detail = await readResponseJson<{ controllable: boolean; why: string }>(call('/sessions/bad'));
    expect(detail.controllable).toBe(false);
    expect(detail.why).toContain('was not created by you');
    const refused = await call('/sessions/bad/commands', { kind: 'say', text: 'Run it' });
    expect(refused.status).toBe(409);
    expect(model.asked).toEqual([]);
  });
});

it('stores feedback next to the database like pawl verdict, and removes it', async () => {
  const file = join(folder, 's.db');
  const marks = createDashboardFeedback(createFeedbackFile(file));
  expect(await marks.list('a')).toEqual([]);
  const verdict = { seq: 7, rule: 'repeated-call', note: null, at: 1 };
  await marks.save('a', { ...verdict, mark: 'wrong' });
  await marks.save('b', { ...verdict, mark: 'right' });
  expect(readFeedbackFile(file).marks).toHaveLength(2);
  expect(await marks.list('a')).toEqual([{ ...verdict, mark: 'wrong' }]);
  await marks.save('a', { ...verdict, mark: null });
  expect(await marks.list('a')).toEqual([]);
  expect(readFeedbackFile(file)).toMatchObject({ marks: [{ session: 'b', mark: 'right' }], unread: 0 });
});

it('shows a run of the same process and does not resume it until it is done', async () => {
  vi.stubEnv('PAWL_DASHBOARD_TOKEN', 'chosen-by-the-user-1');
  const opened = await openConfiguredStore({ dir: folder, store: join(folder, 's.db') });
  cleanUps.push(() => opened.close());
  const { store } = opened;
  const metadata = { dir: folder, model: 'openai-compatible:m', profile: 'pawl' };
  await store.create(createSession({ id: 'mine', at: 1 }), getProcessOwner(), { metadata });
  const warnings: string[] = [];
  const beside = await startEmbeddedDashboard({
    opened,
    id: 'mine',
    dir: folder,
    telemetry: null,
    warn: (line) => void warnings.push(line),
    open: false,
  });
  cleanUps.push(() => beside.close());
  const { origin } = new URL(beside.url);
  const headers = {
    authorization: 'Bearer chosen-by-the-user-1',
    'x-pawl': '1',
    'content-type': 'application/json',
  };
  const holder = async (): Promise<string> =>
    (await readResponseJson<{ holder: string }>(fetch(`${origin}/api/v1/sessions/mine`, { headers }))).holder;
  const say = (text: string): Promise<Response> =>
    fetch(`${origin}/api/v1/sessions/mine/commands`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ kind: 'say', text }),
    });
  expect(beside.url).toContain('/#/s/mine/');
  expect(beside.login).toMatch(/\/login\?code=[\w-]{43}#\/s\/mine\/transcript$/);
  expect(await holder()).toBe('here');
  const stream = await fetch(`${origin}/api/v1/sessions/mine/stream`, { headers });
  const reader = stream.body?.getReader();
  let text = '';
  const reading = (async () => {
    while (!text.includes('live')) text += new TextDecoder().decode((await reader?.read())?.value);
  })();
  // Events before the stream is connected are not received.
  const sayAndLook = (): string => {
    beside.observe({ event: { type: 'text-delta', at: 2, text: 'Hello ' } });
    return text;
  };
  await expect.poll(sayAndLook, { interval: 10 }).toContain('live');
  await reading;
  await reader?.cancel();
  expect(text).toContain('"text":"Hello ');
  await say('Hello');
  expect(await store.commands.listPending('mine')).toMatchObject([
    { command: { kind: 'say', text: 'Hello' } },
  ]);
  expect((await store.open('mine')).head).toBe(0);
  model.says = () => 'Hello yourself.';
  beside.done();
  expect(await holder()).toBe('nobody');
  await say('Hello again');
  await expect.poll(async () => (await store.open('mine')).head).toBeGreaterThan(2);
  const { problem } = await detectSandbox();
  expect(warnings).toEqual(problem === null ? [] : [problem]);
});
