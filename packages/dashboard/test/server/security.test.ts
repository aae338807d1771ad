import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { EventsPage } from '../../src/api/index.ts';
import { ListenError, startDashboard } from '../../src/index.ts';
import { shortRunEvents, startTestServer, type TestServer } from './test-server.ts';

type RawResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
};

/** Sends any Host header and path, which `fetch` does not allow. */
function requestRaw(
  server: TestServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { port } = server.running;
    const sent = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function getStatus(link: string): Promise<number> {
  return (await fetch(link, { redirect: 'manual' })).status;
}

describe('access', () => {
  it('is denied without the token on every route', async () => {
    await using server = await startTestServer();
    await server.keep('attic', shortRunEvents);
    for (const path of [
      '/sessions',
      '/sessions/attic',
      '/sessions/stream',
      '/fleet',
      '/health',
      '/openapi.json',
      '/x',
    ]) {
      const answer = await fetch(`${server.running.url}/api/v1${path}`);
      expect(answer.status, path).toBe(401);
      expect(((await answer.json()) as { error: { code: string } }).error.code).toBe('unauthorized');
    }
    expect((await fetch(`${server.running.url}/metrics`)).status).toBe(401);
    const wrong = await server.get('/api/v1/sessions', { authorization: 'Bearer wrong' });
    expect(wrong.status).toBe(401);
  });

  it('is granted once by the login link, with a cookie that scripts cannot read', async () => {
    await using server = await startTestServer();
    const link = server.running.loginUrl();
    const first = await fetch(link, { redirect: 'manual' });
    expect(first.status).toBe(303);
    expect(first.headers.get('location')).toBe('/');
    const cookie = first.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      new RegExp(`^pawl-${server.running.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(cookie).not.toContain(server.token);
    const value = cookie.split(';')[0] ?? '';
    expect(
      (await fetch(`${server.running.url}/api/v1/sessions`, { headers: { cookie: value } })).status,
    ).toBe(200);
    const again = await fetch(link, { redirect: 'manual' });
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(await again.text()).toContain('has been used already');
  });

  it('is granted by the token through the form, from the same origin only', async () => {
    await using server = await startTestServer();
    const post = (token: string, headers = {}): Promise<Response> =>
      fetch(`${server.running.url}/login`, {
        method: 'POST',
        body: new URLSearchParams({ token }),
        headers,
        redirect: 'manual',
      });
    expect((await post(server.token)).status).toBe(303);
    expect((await post('wrong')).status).toBe(401);
    expect((await post(server.token, { origin: 'http://evil.example' })).status).toBe(401);
    const form = await (await fetch(`${server.running.url}/login`)).text();
    expect(form).toContain('type="password"');
    expect(form).not.toContain('<script');
  });

  it('limits token guesses, and expires a link after an hour', async () => {
    let now = 0;
    await using server = await startTestServer({ clock: () => now });
    const [first, second, late] = [1, 2, 3].map(() => server.running.loginUrl());
    for (let guess = 0; guess < 10; guess += 1) await getStatus(`${server.running.url}/login?code=guess`);
    expect(await getStatus(first ?? '')).toBe(401);
    now = 1_000;
    expect(await getStatus(second ?? '')).toBe(303);
    now = 60 * 60 * 1_000;
    expect(await getStatus(late ?? '')).toBe(401);
  });

  it('is denied for a foreign host name', async () => {
    await using server = await startTestServer();
    const { port } = server.running;
    const authorization = `Bearer ${server.token}`;
    const status = async (host: string): Promise<number> =>
      (await requestRaw(server, '/api/v1/sessions', { host, authorization })).status;
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`localhost:${port}`)).toBe(200);
    expect(await status(`[::1]:${port}`)).toBe(200);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '192.168.0.1']) {
      expect(await status(host), host).toBe(403);
    }
    // An invalid host name is rejected even earlier.
    expect(await status('a b')).toBe(400);
    expect((await requestRaw(server, '/', { host: 'evil.example' })).status).toBe(403);
    expect((await requestRaw(server, '/login', { host: 'evil.example' })).status).toBe(403);
  });

  it('is denied to changes from another origin or without the header that forms cannot send', async () => {
    await using server = await startTestServer();
    await server.keep('attic', shortRunEvents);
    const path = '/api/v1/sessions/attic/commands';
    const say = { kind: 'say', text: 'Hello' };
    expect((await server.post(path, say, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await server.post(path, say, { origin: 'null' })).status).toBe(403);
    expect((await server.post(path, say, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await server.post(path, say, { 'x-pawl': '' })).status).toBe(403);
    expect(await server.store.commands.listPending('attic')).toEqual([]);
    expect((await server.get('/api/v1/sessions', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const own = await server.post(path, say, { origin: server.running.url, 'sec-fetch-site': 'same-origin' });
    expect(own.status).toBe(202);
  });

  it('is granted to other machines only with an explicitly chosen token', async () => {
    await using server = await startTestServer();
    const { store, host } = server;
    const listen = (token?: string): Promise<unknown> =>
      startDashboard({ store, host, hostname: '0.0.0.0', ...(token !== undefined && { token }) });
    await expect(listen()).rejects.toThrow(ListenError);
    await expect(listen('short')).rejects.toThrow('at least 16 characters');
    await expect(listen('with spaces in the middle')).rejects.toThrow('without spaces');
    const open = await startDashboard({ store, host, hostname: '0.0.0.0', token: server.token });
    const answer = await fetch(`${open.url}/api/v1/health`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(answer.status).toBe(200);
    await open.close();
  });

  it('explains that a port is in use', async () => {
    await using server = await startTestServer();
    const { store, host, running } = server;
    await expect(startDashboard({ store, host, port: running.port })).rejects.toThrow(
      'something else listens there',
    );
  });
});

describe('a response', () => {
  it('forbids external resources and framing', async () => {
    await using server = await startTestServer();
    for (const path of ['/', '/login', '/api/v1/sessions', '/nothing']) {
      const { headers } = await server.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    expect((await server.get('/api/v1/sessions')).headers.get('cache-control')).toBe('no-store');
  });

  it('contains no secrets, in pages and in streams', async () => {
    const secret = 'correct-horse-battery';
    await using server = await startTestServer({ secrets: [secret] });
    await server.keep('attic', [
      { type: 'user-message', at: 1, text: `The key is ${secret}, and sk-abcdefghijklmnop too` },
      {
        type: 'model-replied',
        at: 2,
        text: '',
        calls: [{ id: 'c', tool: 't', args: { password: 'hunter2' } }],
      },
    ]);
    for (const path of [
      '/sessions',
      '/sessions/attic',
      '/sessions/attic/events',
      '/sessions/attic/prompt?at=1',
    ]) {
      const text = await (await server.get(`/api/v1${path}`)).text();
      expect(text, path).not.toContain(secret);
      expect(text, path).not.toContain('sk-abcdefghijklmnop');
      expect(text, path).not.toContain('hunter2');
    }
    const stream = await server.get('/api/v1/sessions/attic/stream');
    const reader = stream.body?.getReader();
    let text = '';
    while (!text.includes('model-replied')) text += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect(text).not.toContain(secret);
    expect(text).not.toContain('hunter2');
  });

  it('hides internal errors from the client and reports them to the operator', async () => {
    await using server = await startTestServer({
      openStorage: async () => {
        throw new Error('the inside of the server');
      },
    });
    await server.keep('attic', shortRunEvents);
    const answer = await server.get('/api/v1/sessions/attic/memory');
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('inside');
    expect(server.outages.join('\n')).toContain('the inside of the server');
  });
});

describe('a request', () => {
  it('is rejected if it is too large, too deep, not JSON or invalid', async () => {
    await using server = await startTestServer();
    await server.keep('attic', shortRunEvents);
    const send = async (body: unknown, headers = {}): Promise<string> => {
      const answer = await server.post('/api/v1/sessions/attic/commands', body, headers);
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      return `${answer.status} ${error.code}: ${error.message}`;
    };
    expect(await send({ kind: 'say', text: 'x'.repeat(1_100_000) })).toBe(
      '413 too-large: The request is larger than 1 MB.',
    );
    expect(await send('['.repeat(100_000))).toBe(
      '400 too-deep: The body is nested more than 64 levels deep.',
    );
    expect(await send(`{"kind":"say","text":"${'['.repeat(1_000)}"`)).toMatch(
      /^400 bad-request: The body is not JSON/,
    );
    expect(await send('{}', { 'content-type': 'text/plain' })).toBe(
      '400 bad-request: The body must be JSON.',
    );
    expect(await send({ kind: 'dance' })).toMatch(/^400 bad-request: body.kind: /);
    expect(await send({ kind: 'say', text: '' })).toMatch(/^400 bad-request: body.text: /);
    expect(await send({ kind: 'say', text: 'x', more: 1 })).toMatch(/^400 bad-request: body: /);
    expect(await send('{"kind":"say","text":"x","__proto__":{"admin":true}}')).toMatch(/^400 bad-request/);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(await server.store.commands.listPending('attic')).toEqual([]);
  });

  it('cannot inject a line into headers or a stream', async () => {
    await using server = await startTestServer();
    const text = 'one\r\nevent: removed\r\ndata: {}\r\n\r\n';
    await server.keep('attic', [{ type: 'user-message', at: 1, text }]);
    const answer = await server.get('/api/v1/sessions/attic/stream');
    const reader = answer.body?.getReader();
    let got = '';
    while (!got.includes('user-message')) got += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect(got).not.toMatch(/^event: removed/m);
    const page = (await (await server.get('/api/v1/sessions/attic/events')).json()) as EventsPage;
    expect(page.events[0]?.event).toMatchObject({ text });
    const odd = await requestRaw(server, '/api/v1/sessions/%0d%0aset-cookie:%20a=b', {
      authorization: `Bearer ${server.token}`,
    });
    expect(odd.status).toBe(404);
    expect(odd.headers['set-cookie']).toBeUndefined();
  });

  it('is rate-limited', async () => {
    await using server = await startTestServer({ rate: { perSecond: 1, burst: 5 }, clock: () => 0 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.get('/api/v1/health')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const late = answers.find(({ status }) => status === 429);
    expect(late?.headers.get('retry-after')).toBe('1');
  });
});
