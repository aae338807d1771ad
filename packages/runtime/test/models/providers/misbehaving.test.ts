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
} from '../../../../../scripts/testing/test-server.ts';
import { wireFormats, type WireFormat } from './wire-formats.ts';

const longTimeoutMs = 60_000;

describe.each(wireFormats)('a server of $name that misbehaves', ({ open, events }: WireFormat) => {
  const hello = events({ text: ['Hel', 'lo.'] });

  it('cuts the connection midway: the attempt fails and can be retried', async () => {
    const { url } = await startTestServer(async (response) => {
      await startEventStream(response, hello.slice(0, -2));
      response.destroy();
    });
    const { kind, retryable } = await collectModelFailure(await open(url));
    expect(['network', 'truncated']).toContain(kind);
    expect(retryable).not.toBe(false);
  });

  it('ends the stream early: the incomplete reply is a failure, and its calls do not run', async () => {
    const half = events({ text: ['I look.'], calls: [{ id: 'a', tool: 'read', input: '{"path":"a.md"}' }] });
    const last = half.findLastIndex((one) => /finish|completed|message_delta/.test(one));
    const { url } = await startTestServer((response) => sendEvents(response, half.slice(0, last)));
    const error = await collectModelFailure(await open(url));
    expect(error).toMatchObject({ kind: 'truncated' });
    expect(error.retryable).not.toBe(false);
  });

  it('sends nothing: the request and its connection end after the idle timeout', async () => {
    const { url, hungUp } = await startTestServer(() => undefined);
    const model = await open(url, { limits: { idleMs: 150, totalMs: longTimeoutMs } });
    expect(await collectModelFailure(model)).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('150 ms') as string,
    });
    await hungUp();
  });

  it('stalls midway: the request ends after the idle timeout', async () => {
    const { url, hungUp } = await startTestServer((response) =>
      startEventStream(response, hello.slice(0, -2)),
    );
    const model = await open(url, { limits: { idleMs: 150, totalMs: longTimeoutMs } });
    expect(await collectModelFailure(model)).toMatchObject({ kind: 'timeout' });
    await hungUp();
  });

  it('sends byte by byte: the reply is the same', async () => {
    const drops = Buffer.from(events({ text: ['Grüße, ', '世界 🙂'] }).join(''));
    const { url } = await startTestServer(async (response) => {
      response.writeHead(200, streamHeaders);
      for (const drop of drops) await writeResponsePiece(response, Buffer.of(drop));
      response.end();
    });
    const model = await open(url, { limits: { idleMs: longTimeoutMs } });
    expect((await collectModelReply(model)).text).toBe('Grüße, 世界 🙂');
  });

  it('sends slowly forever: the request ends after the total timeout', async () => {
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

  it('sends an endless reply: it is cut off at the reply size limit', async () => {
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

  it('compresses its reply: it is decompressed', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
      response.end(gzipSync(hello.join('')));
    });
    expect((await collectModelReply(await open(url))).text).toBe('Hello.');
  });

  it('sends garbage between its events: the attempt fails', async () => {
    const { url } = await startTestServer((response) =>
      sendEvents(response, [...hello.slice(0, -1), formatServerEvent('{"broken": '), ...hello.slice(-1)]),
    );
    expect(await collectModelFailure(await open(url))).toMatchObject({ kind: 'network' });
  });

  it('is cancelled midway: it sees the connection close', async () => {
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

  it('is abandoned midway by the consumer: it sees the connection close', async () => {
    const { url, hungUp } = await startTestServer((response) =>
      startEventStream(response, hello.slice(0, -2)),
    );
    const model = await open(url);
    for await (const chunk of model.stream(createTextRequest('Hello?'), new AbortController().signal)) {
      if (chunk.type === 'text') break;
    }
    await hungUp();
  });

  it('makes a hundred calls at once: all of them arrive in order', async () => {
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

    it('cuts off its arguments: nothing is called, and the reply gets a problem', async () => {
      const { last } = await replying('{"path": "b.m');
      expect(last).toMatchObject({
        type: 'reply',
        calls: [],
        problem: expect.stringContaining('the arguments of read are cut off') as string,
      });
    });

    it('writes slightly invalid JSON with one meaning: it is repaired and called', async () => {
      const { last } = await replying(`{path: 'b.md',}`);
      expect(last).toMatchObject({ calls: [{ args: { path: 'a.md' } }, { args: { path: 'b.md' } }] });
    });

    it('writes a list as arguments: nothing is called', async () => {
      const { last } = await replying('["b.md"]');
      expect(last).toMatchObject({
        calls: [],
        problem: expect.stringContaining('not a JSON object') as string,
      });
    });

    it('repeats or omits ids: each call arrives', async () => {
      const ids = name === 'anthropic' ? ['x', 'x'] : ['x', ''];
      const calls = ids.map((id, index) => ({ id, tool: 'read', input: `{"path":"${index}.md"}` }));
      const { url } = await startTestServer((response) => sendEvents(response, events({ calls })));
      const reply = await collectModelReply(await open(url));
      expect(reply.calls.map(({ args }) => args)).toEqual([{ path: '0.md' }, { path: '1.md' }]);
    });
  },
);

describe('a server that is not a model API', () => {
  const [wire] = wireFormats;
  if (wire === undefined) throw new Error('There are no wires.');

  it('responds with a web page: the base URL is wrong', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><title>Welcome</title>');
    });
    const error = await collectModelFailure(await wire.open(url));
    expect(error).toMatchObject({ kind: 'bad-request', retryable: false });
    expect(error.message).toContain('Check the base URL');
  });

  it('responds with a web page for an error: the status counts', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html>Bad gateway</html>');
    });
    expect(await collectModelFailure(await wire.open(url))).toMatchObject({ kind: 'overloaded' });
  });

  it('redirects: the API key is not sent there', async () => {
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

  it('sends 50 megabytes in one compressed, endless line: it is cut off at the wire limit', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(200, { ...streamHeaders, 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(50_000_000, 'x')));
    });
    const model = await wire.open(url, { limits: { wireBytesMax: 1_000_000 } });
    expect(await collectModelFailure(model)).toMatchObject({ kind: 'truncated', retryable: false });
  });

  it('is not running', async () => {
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
