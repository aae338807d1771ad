import { createHash, randomBytes } from 'node:crypto';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { startProxy, type StartedProxy } from './start-proxy.ts';
import { startUpstream, type UpstreamServer } from './upstream.ts';

let upstream: UpstreamServer;
let proxy: StartedProxy;

afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void;

async function startTestProxy(handler: RequestHandler): Promise<void> {
  upstream = await startUpstream(() => handler);
  proxy = await startProxy(upstream.url);
}

const chatRequest = { model: 'tiny', messages: [{ role: 'user', content: 'Hello' }] };

function postToProxy(
  path: string,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${proxy.url}${path}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

describe('the proxy', () => {
  it('forwards identical bytes both ways without advice, including unknown fields and unusual spacing', async () => {
    const answer = Buffer.concat([Buffer.from('{ "odd" :\t1e400 } '), randomBytes(64)]);
    await startTestProxy((_req, res) => void res.writeHead(200, 'Very Fine', { 'X-Odd': 'yes' }).end(answer));
    const sent =
      '{"messages":[{"role":"user","content":"hi"}],\n "seed": 12345678901234567890, "x":{"__proto__":1}}';
    const response = await postToProxy('/v1/chat/completions?beta=1', sent);
    expect(Buffer.from(await response.arrayBuffer()).equals(answer)).toBe(true);
    expect([response.status, response.statusText, response.headers.get('x-odd')]).toEqual([
      200,
      'Very Fine',
      'yes',
    ]);
    expect(upstream.requests[0]).toMatchObject({ raw: sent, path: '/v1/chat/completions?beta=1' });
  });

  it('forwards other routes with any method', async () => {
    await startTestProxy((req, res) => void res.end(`${req.method} ${req.url}`));
    for (const [method, path] of [
      ['GET', '/v1/models'],
      ['DELETE', '/v1/files/7'],
      ['GET', '/v1/chat/completions'],
      ['POST', '/v1/messages/count_tokens'],
    ] as const) {
      const response = await fetch(`${proxy.url}${path}`, { method });
      expect(await response.text()).toBe(`${method} ${path}`);
    }
    expect((await fetch(`${proxy.url}/x`, { method: 'HEAD' })).status).toBe(200);
  });

  it('forwards errors of the model server unchanged', async () => {
    const problem = JSON.stringify({ error: { message: 'Slow down', type: 'rate_limit' } });
    await startTestProxy((_req, res) => void res.writeHead(429, { 'retry-after': '7' }).end(problem));
    const response = await postToProxy('/v1/messages', chatRequest);
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([
      429,
      '7',
      problem,
    ]);
  });

  it('forwards the API key, but neither hop-by-hop headers nor its own header', async () => {
    await startTestProxy((req, res) => {
      res.setHeader('Connection', 'close, X-Hop-Back');
      res.setHeader('X-Hop-Back', '1');
      res.end(JSON.stringify(req.headers));
    });
    const got = await new Promise<IncomingMessage>((resolve) => {
      const { port } = new URL(proxy.url);
      const clientRequest = request(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/v1/messages',
          headers: {
            'X-Api-Key': 'sk-secret',
            Connection: 'keep-alive, X-Hop',
            'X-Hop': '1',
            TE: 'trailers',
            'Proxy-Authorization': 'no',
            'X-Pawl-Conversation': 'mine',
            'X-Kept': 'yes',
          },
        },
        resolve,
      );
      clientRequest.end(JSON.stringify(chatRequest));
    });
    const chunks: Buffer[] = [];
    for await (const chunk of got as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    expect(headers).toMatchObject({
      'x-api-key': 'sk-secret',
      'x-kept': 'yes',
      host: new URL(upstream.url).host,
    });
    for (const header of ['x-hop', 'te', 'proxy-authorization', 'x-pawl-conversation'])
      expect(headers).not.toHaveProperty(header);
    expect(got.headers).not.toHaveProperty('x-hop-back');
    expect(JSON.stringify([proxy.notes, await proxy.store.list()])).not.toContain('sk-secret');
  });

  it('forwards bodies of many megabytes and bodies that are not JSON', async () => {
    await startTestProxy((req, res) => void res.end(req.headers['content-length']));
    const large = JSON.stringify({ ...chatRequest, padding: 'x'.repeat(20_000_000) });
    expect(await (await postToProxy('/v1/chat/completions', large)).text()).toBe(String(large.length));
    for (const odd of ['', 'nonsense', '[1]', '{"messages":7}', '{"messages":[7]}', '{"messages":[]}']) {
      await (await postToProxy('/v1/chat/completions', odd)).text();
      expect(upstream.requests.at(-1)?.raw).toBe(odd);
    }
  });

  it('forwards each chunk of a stream before the next one is written', async () => {
    let write: ((text: string) => void) | undefined;
    let end: (() => void) | undefined;
    await startTestProxy((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.flushHeaders();
      write = (text) => void res.write(text);
      end = () => void res.end();
    });
    const response = await postToProxy('/v1/chat/completions', { ...chatRequest, stream: true });
    const reader = response.body?.getReader();
    // Half an event, a split character, a comment: none of it is buffered for parsing.
    for (const piece of [
      'data: {"choi',
      'ces":[{"delta":{"content":"h\u00e9"}}]}\n\n',
      ': ping\n\n',
      'data: [DONE]',
    ]) {
      write?.(piece);
      const { value } = (await reader?.read()) ?? {};
      expect(Buffer.from(value ?? []).toString()).toBe(piece);
    }
    end?.();
    expect((await reader?.read())?.done).toBe(true);
  });

  it('applies backpressure', async () => {
    const chunk = Buffer.alloc(256 * 1024, 'x');
    let written = 0;
    await startTestProxy((req, res) => {
      if (req.url === '/v1/models') return void res.end('ok');
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (written < 400 && res.write(chunk)) written += 1;
        if (written < 400) res.once('drain', () => ((written += 1), more()));
        else res.end();
      };
      more();
    });
    const response = await postToProxy('/v1/chat/completions', { ...chatRequest, stream: true });
    // Wait until the writer stalls while other requests are answered: what is written by then fills the buffers.
    for (let still = 0, before = -1; still < 50; before = written) {
      expect(await (await fetch(`${proxy.url}/v1/models`)).text()).toBe('ok');
      still = written === before ? still + 1 : 0;
    }
    expect(written).toBeLessThan(400);
    expect((await response.arrayBuffer()).byteLength).toBe(400 * chunk.length);
  });
});

describe('a broken connection', () => {
  it('to the client aborts the upstream request', async () => {
    let isGone = false;
    await startTestProxy((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {}\n\n');
      res.once('close', () => (isGone = true));
    });
    const abort = new AbortController();
    const response = await fetch(`${proxy.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ ...chatRequest, stream: true }),
      headers: { 'content-type': 'application/json' },
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
    await expect.poll(() => isGone).toBe(true);
  });

  it.each([
    ['/v1/messages', 'destroy'],
    ['/v1/messages', 'resetAndDestroy'],
    ['/v1/files', 'resetAndDestroy'],
  ] as const)(
    'is visible to the client of %s when the stream breaks by %s, and the proxy survives',
    async (path, how) => {
      await startTestProxy((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write('data: {}\n\n', () => res.socket?.[how]());
      });
      for (let times = 0; times < 3; times += 1) {
        const broken = postToProxy(path, { ...chatRequest, stream: true }).then((response) =>
          response.text(),
        );
        await expect(broken).rejects.toThrow();
      }
    },
  );

  it('in the middle of a request does not stop the proxy', async () => {
    await startTestProxy((_req, res) => void res.end('ok'));
    const { port } = new URL(proxy.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{"mess',
    );
    // The server sends 100-continue once it has accepted the request.
    await once(socket, 'data');
    socket.destroy();
    expect(await (await postToProxy('/v1/messages', chatRequest)).text()).toBe('ok');
  });

  it.each([
    ['/v1/chat/completions', { error: { code: 'pawl_proxy' } }],
    ['/v1/responses', { error: { code: 'pawl_proxy' } }],
    ['/v1/messages', { type: 'error', error: { type: 'api_error' } }],
    ['/v1/models', { error: { code: 'pawl_proxy' } }],
  ])('to the upstream server is reported as one error in the wire format of %s', async (path, form) => {
    upstream = await startUpstream(() => ({ text: '' }));
    proxy = await startProxy('http://127.0.0.1:1');
    const response = await postToProxy(path, chatRequest);
    expect(response.status).toBe(502);
    const error: unknown = await response.json();
    expect(error).toMatchObject(form);
    expect(error).toMatchObject({
      error: {
        message: expect.stringMatching(/^pawl proxy: http:\/\/127\.0\.0\.1:1 does not answer/) as string,
      },
    });
  });
});

function createCallMessages(id: string): readonly object[] {
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: 'same' },
  ];
}

describe('a changed request', () => {
  it('keeps every other field as written, including numbers beyond JavaScript’s precision', async () => {
    await startTestProxy((_req, res) => void res.end('{}'));
    const messages = [
      { role: 'user', content: 'go' },
      ...createCallMessages('a'),
      ...createCallMessages('b'),
      ...createCallMessages('c'),
    ];
    const text = JSON.stringify({
      model: 'tiny',
      messages,
      tools: [{ type: 'function' }],
      z: 1.5,
      ünïcode: '💡',
    });
    const sent = text.replace('"z":1.5', '"seed":12345678901234567890,"z":1.5');
    const before = createHash('sha256').update(sent).digest('hex');
    await (await postToProxy('/v1/chat/completions', sent)).text();
    const { raw = '', headers } = upstream.requests[0] ?? {};
    expect(createHash('sha256').update(raw).digest('hex')).not.toBe(before);
    expect(raw).toContain('"seed":12345678901234567890,"z":1.5,"ünïcode":"💡"');
    expect(headers?.['content-length']).toBe(String(Buffer.byteLength(raw)));
    expect(raw).toMatch(/^\{"model":"tiny","messages":\[.*"content":"\[Note from/);
  });
});
