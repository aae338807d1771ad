import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  createTextRequest,
  collectModelFailure,
  collectModelStream,
  collectModelReply,
} from './collect-stream.ts';
import {
  formatServerEvent,
  findFreePort,
  sendEvents,
  startTestServer,
  streamHeaders,
} from './test-server.ts';
import { wireFormats, type WireFormat } from './wire-formats.ts';

const longTimeoutMs = 60_000;

describe.each(wireFormats)('a server of $name that misbehaves', ({ open, events }: WireFormat) => {
  const hello = events({ text: ['Hel', 'lo.'] });

  it('cuts the connection in the middle: the attempt failed and can be repeated', async () => {
    const { url } = await startTestServer(async (response) => {
      await startEventStream(response, hello.slice(0, -2));
      response.destroy();
    });
    const { kind, retryable } = await collectModelFailure(await open(url));
    expect(['network', 'truncated']).toContain(kind);
    expect(retryable).not.toBe(false);
  });

  it('ends the stream neatly but early: half a reply is no reply, and its calls are not made', async () => {
    const half = events({ text: ['I look.'], calls: [{ id: 'a', tool: 'read', input: '{"path":"a.md"}' }] });
    const last = half.findLastIndex((one) => /finish|completed|message_delta/.test(one));
    const { url } = await startTestServer((response) => sendEvents(response, half.slice(0, last)));
    const error = await collectModelFailure(await open(url));
    expect(error).toMatchObject({ kind: 'truncated' });
    expect(error.retryable).not.toBe(false);
  });

  it('says nothing at all: it is given up after the idle limit, and the connection with it', async () => {
    const { url, hungUp } = await startTestServer(() => undefined);
    const model = await open(url, { limits: { idleMs: 150, totalMs: longTimeoutMs } });
    expect(await collectModelFailure(model)).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('150 ms') as string,
    });
    await hungUp();
  });

  it('stalls in the middle: the same', async () => {
    const { url, hungUp } = await startTestServer((response) =>
      startEventStream(response, hello.slice(0, -2)),
    );
    const model = await open(url, { limits: { idleMs: 150, totalMs: longTimeoutMs } });
    expect(await collectModelFailure(model)).toMatchObject({ kind: 'timeout' });
    await hungUp();
  });

  it('drips byte by byte: the reply is the same', async () => {
    const drops = Buffer.from(events({ text: ['Grüße, ', '世界 🙂'] }).join(''));
    const { url } = await startTestServer(async (response) => {
      response.writeHead(200, streamHeaders);
      for (const drop of drops) await writeResponsePiece(response, Buffer.of(drop));
      response.end();
    });
    const model = await open(url, { limits: { idleMs: longTimeoutMs } });
    expect((await collectModelReply(model)).text).toBe('Grüße, 世界 🙂');
  });

  it('drips for ever: it is given up after the total limit', async () => {
    const { url, hungUp } = await startTestServer(async (response) => {
      response.writeHead(200, streamHeaders);
      while (!response.destroyed) await writeResponsePiece(response, hello[1] ?? '');
    });
    const limits = {
      idleMs: longTimeoutMs,
      totalMs: 150,
      replyBytesMax: 2 ** 31 - 1,
      wireBytesMax: 2 ** 31 - 1,
    };
    const model = await open(url, { limits });
    const { kind } = await collectModelFailure(model);
    expect(kind).toBe('timeout');
    await hungUp();
  });

  it('sends a reply without end: it is cut off at the limit of a reply', async () => {
    const { url, hungUp } = await startTestServer(async (response) => {
      const [big = ''] = events({ text: ['x'.repeat(100_000)] }).filter((one) => one.includes('xxx'));
      response.writeHead(200, streamHeaders);
      response.write(hello.slice(0, -2).join(''));
      while (!response.destroyed) await writeResponsePiece(response, big);
    });
    const model = await open(url, { limits: { replyBytesMax: 1_000_000, wireBytesMax: 2 ** 31 - 1 } });
    expect(await collectModelFailure(model)).toMatchObject({ kind: 'truncated', retryable: false });
    await hungUp();
  });

  it('packs its reply: it is unpacked', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
      response.end(gzipSync(hello.join('')));
    });
    expect((await collectModelReply(await open(url))).text).toBe('Hello.');
  });

  it('sends garbage between its events: the attempt failed', async () => {
    const { url } = await startTestServer((response) =>
      sendEvents(response, [...hello.slice(0, -1), formatServerEvent('{"broken": '), ...hello.slice(-1)]),
    );
    expect(await collectModelFailure(await open(url))).toMatchObject({ kind: 'network' });
  });

  it('is called off in the middle: it sees the connection close', async () => {
    const { url, hungUp } = await startTestServer((response) =>
      startEventStream(response, hello.slice(0, -2)),
    );
    const abort = new AbortController();
    const model = await open(url);
    const ends: string[] = [];
    for await (const chunk of model.stream(createTextRequest('Hello?'), abort.signal)) {
      if (chunk.type === 'text') abort.abort();
      else ends.push(chunk.type);
    }
    expect(ends).toEqual(['failure']);
    await hungUp();
  });

  it('is left in the middle by somebody who heard enough: it sees the connection close', async () => {
    const { url, hungUp } = await startTestServer((response) =>
      startEventStream(response, hello.slice(0, -2)),
    );
    const model = await open(url);
    for await (const chunk of model.stream(createTextRequest('Hello?'), new AbortController().signal)) {
      if (chunk.type === 'text') break;
    }
    await hungUp();
  });

  it('makes a hundred calls at once: all of them arrive, in order', async () => {
    const calls = Array.from({ length: 100 }, (_, index) => ({
      id: `id-${index}`,
      tool: 'read',
      input: JSON.stringify({ path: `${index}.md` }),
    }));
    const { url } = await startTestServer((response) => sendEvents(response, events({ calls })));
    const reply = await collectModelReply(await open(url));
    expect(reply.calls.map(({ args }) => args)).toEqual(
      calls.map(({ input }) => JSON.parse(input) as unknown),
    );
  });
});

const textStreamWires = wireFormats.filter(({ name }) => name !== 'google');

// Google sends arguments as JSON, not as text that holds JSON: they cannot be broken apart from the event.
describe.each(textStreamWires)(
  'a model of $name that writes calls badly',
  ({ name, open, events }: WireFormat) => {
    const replying = async (input: string) => {
      const calls = [
        { id: 'a', tool: 'read', input: '{"path":"a.md"}' },
        { id: 'b', tool: 'read', input },
      ];
      const { url } = await startTestServer((response) => sendEvents(response, events({ calls })));
      return collectModelStream(await open(url));
    };

    it('breaks off in its arguments: nothing is called, and it is told why', async () => {
      const { last } = await replying('{"path": "b.m');
      expect(last).toMatchObject({
        type: 'reply',
        calls: [],
        problem: expect.stringContaining('the arguments of read are cut off') as string,
      });
    });

    it('slips in its JSON where only one thing can be meant: that is called', async () => {
      const { last } = await replying(`{path: 'b.md',}`);
      expect(last).toMatchObject({ calls: [{ args: { path: 'a.md' } }, { args: { path: 'b.md' } }] });
    });

    it('writes a list for arguments: nothing is called', async () => {
      const { last } = await replying('["b.md"]');
      expect(last).toMatchObject({
        calls: [],
        problem: expect.stringContaining('not a JSON object') as string,
      });
    });

    it('uses one id twice, or none: each call arrives', async () => {
      const ids = name === 'anthropic' ? ['x', 'x'] : ['x', ''];
      const calls = ids.map((id, index) => ({ id, tool: 'read', input: `{"path":"${index}.md"}` }));
      const { url } = await startTestServer((response) => sendEvents(response, events({ calls })));
      const reply = await collectModelReply(await open(url));
      expect(reply.calls.map(({ args }) => args)).toEqual([{ path: '0.md' }, { path: '1.md' }]);
    });
  },
);

describe('a server that is something else', () => {
  const [wire] = wireFormats;
  if (wire === undefined) throw new Error('There are no wires.');

  it('answers with a web page: the base URL is wrong', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><title>Welcome</title>');
    });
    const error = await collectModelFailure(await wire.open(url));
    expect(error).toMatchObject({ kind: 'bad-request', retryable: false });
    expect(error.message).toContain('Check the base URL');
  });

  it('answers with a web page for an error: the status counts', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html>Bad gateway</html>');
    });
    expect(await collectModelFailure(await wire.open(url))).toMatchObject({ kind: 'overloaded' });
  });

  it('points elsewhere: the key is not carried there', async () => {
    const other = await startTestServer((response) => response.end());
    const { url } = await startTestServer((response) => {
      response.writeHead(307, { location: `${other.url}/v1/responses` });
      response.end();
    });
    expect(await collectModelFailure(await wire.open(url))).toMatchObject({
      kind: 'bad-request',
      retryable: false,
    });
    expect(other.received).toEqual([]);
  });

  it('sends 50 megabytes on one line that never ends, packed small: it is cut off on the wire', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(50_000_000, 'x')));
    });
    const model = await wire.open(url, { limits: { wireBytesMax: 1_000_000 } });
    expect(await collectModelFailure(model)).toMatchObject({ kind: 'truncated', retryable: false });
  });

  it('is not there', async () => {
    const error = await collectModelFailure(await wire.open(`http://127.0.0.1:${await findFreePort()}`));
    expect(error).toMatchObject({ kind: 'network' });
    expect(error.message).toContain('connection refused');
  });
});

/** Sends the head and these events, and leaves the answer open. */
async function startEventStream(response: ServerResponse, events: readonly string[]): Promise<void> {
  response.writeHead(200, streamHeaders);
  await writeResponsePiece(response, events.join(''));
}

/** Resolves when the piece is on its way, or will never be. */
function writeResponsePiece(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(piece, () => {
      response.off('close', resolve);
      setImmediate(resolve);
    });
  });
}
