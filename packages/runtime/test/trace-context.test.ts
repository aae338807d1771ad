import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { guardedFetch } from '../src/models/providers/guarded-fetch.ts';
import { traceContext, withTraceContext } from '../src/trace-context.ts';

const context = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };

describe('withTraceContext', () => {
  it('holds for all that is begun within, also later, and for nothing else', async () => {
    const later = withTraceContext(context, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return traceContext();
    });
    expect(traceContext()).toBeUndefined();
    expect(await later).toBe(context);
    const inner = { traceparent: 'inner' };
    expect(withTraceContext(context, () => withTraceContext(inner, traceContext))).toBe(inner);
    expect(traceContext()).toBeUndefined();
  });

  it('adds one header to a request and leaves the others as they are', async () => {
    const asked: (string | undefined)[][] = [];
    const server = createServer(({ headers }, response) => {
      asked.push([headers['x-key']?.toString(), headers['traceparent']?.toString()]);
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const ask = guardedFetch(1_000);
    const headers = { 'x-key': 'k' };
    await (await withTraceContext(context, () => ask(url, { headers }))).text();
    await (await withTraceContext(context, () => ask(new Request(url, { headers })))).text();
    await (await ask(new Request(url, { headers }))).text();
    server.close();
    expect(asked).toEqual([
      ['k', context.traceparent],
      ['k', context.traceparent],
      ['k', undefined],
    ]);
  });
});
