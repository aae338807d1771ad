import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProxy, type StartedProxy } from './start-proxy.ts';
import { startUpstream, type UpstreamServer } from './upstream.ts';

let upstream: UpstreamServer;
let proxy: StartedProxy;

beforeEach(async () => {
  upstream = await startUpstream(() => (_req, res) => {
    res.writeHead(200, {
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'Access-Control-Expose-Headers': 'x-request-id',
      'x-request-id': '7',
    });
    res.end('{"ok":true}');
  });
  proxy = await startProxy(upstream.url, {}, { allowedOrigins: ['https://App.example.org/', 'null'] });
});

afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

type Response = {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
};

/** Sends a request with exactly these headers. */
function sendRequest(
  headers: OutgoingHttpHeaders,
  method = 'POST',
  path = '/v1/chat/completions',
): Promise<Response> {
  const { port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers }, (res) => {
      json(res).then((body) => resolve({ status: res.statusCode, headers: res.headers, body }), reject);
    });
    sent.once('error', reject);
    sent.end(
      method === 'POST' ? '{"model":"tiny","messages":[{"role":"user","content":"Hello"}]}' : undefined,
    );
  });
}

const asJson = { 'content-type': 'application/json' };

describe('the proxy accepts', () => {
  it.each([
    ['a program without an origin', {}],
    ['Node’s fetch', { 'sec-fetch-mode': 'cors' }],
    ['its own origin', { origin: 'http://127.0.0.1:4141', 'sec-fetch-site': 'same-origin' }],
    ['another local origin', { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' }],
    ['an editor', { origin: 'vscode-file://vscode-app', 'sec-fetch-site': 'cross-site' }],
    ['an address that the user has typed', { 'sec-fetch-site': 'none' }],
    ['an allowed origin', { origin: 'https://app.example.org', 'sec-fetch-site': 'cross-site' }],
    ['the origin null if it is allowed', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('%s', async (_name, headers) => {
    expect((await sendRequest({ ...asJson, ...headers })).status).toBe(200);
    expect(upstream.requests.length).toBe(1);
  });

  it('a JSON body with a charset or without a content type', async () => {
    expect((await sendRequest({ 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
    expect((await sendRequest({})).status).toBe(200);
  });

  it('any content type on other routes, such as file uploads', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await sendRequest(headers, 'POST', '/v1/files')).status).toBe(200);
  });
});

describe('the proxy refuses', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example' }, /--allow-origin https:\/\/evil\.example$/],
    ['an origin that looks local', { origin: 'http://localhost.evil.example' }, /--allow-origin/],
    ['a browser extension', { origin: 'chrome-extension://abc' }, /--allow-origin chrome-extension:\/\/abc$/],
    ['a request of another site', { 'sec-fetch-site': 'cross-site' }, /Send it from a program/],
    ['a request of another port', { 'sec-fetch-site': 'same-site' }, /Send it from a program/],
    ['another host name', { host: 'evil.example' }, /Only requests from this machine/],
    [
      'a host name that looks local',
      { host: 'localhost.evil.example:4141' },
      /Only requests from this machine/,
    ],
  ])('%s', async (_name, headers, message) => {
    for (const path of [
      '/v1/chat/completions',
      '/v1/messages',
      '/v1beta/models/x:generateContent',
      '/v1/models',
    ]) {
      const { status, body } = await sendRequest({ ...asJson, ...headers }, 'POST', path);
      expect(status).toBe(403);
      expect(body).toMatchObject({ error: { message: expect.stringMatching(message) as string } });
    }
    expect(upstream.requests).toEqual([]);
  });

  it('the origin null, which a page can have by a sandboxed frame', async () => {
    await proxy.close();
    proxy = await startProxy(upstream.url);
    expect((await sendRequest({ ...asJson, origin: 'null' })).status).toBe(403);
  });

  it.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'Multipart/Form-Data; boundary=x',
  ])('the content type %s on model routes', async (type) => {
    const { status, body } = await sendRequest({ 'content-type': type });
    expect(status).toBe(415);
    expect(body).toMatchObject({
      error: { message: expect.stringContaining('"Content-Type: application/json"') as string },
    });
    expect(upstream.requests).toEqual([]);
  });

  it('preflights, whatever their origin', async () => {
    for (const origin of ['https://evil.example', 'http://localhost:3000', 'https://app.example.org']) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const { status, headers: got } = await sendRequest(headers, 'OPTIONS');
      expect(status).toBe(403);
      expect(JSON.stringify(got)).not.toMatch(/access-control/i);
    }
    expect(upstream.requests).toEqual([]);
  });
});

it('the proxy never sends CORS headers, not even those of the model server', async () => {
  const { headers } = await sendRequest({ ...asJson, origin: 'http://localhost:3000' });
  expect(headers['x-request-id']).toBe('7');
  expect(JSON.stringify(headers)).not.toMatch(/access-control/i);
});
