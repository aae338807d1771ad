import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../src/models/providers/guarded-fetch.ts';
import { getTraceContext, runWithTraceContext } from '../src/platform/trace-context.ts';

const context = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };

describe('runWithTraceContext', () => {
  it('applies to everything started within it, also later, and to nothing else', async () => {
    const later = runWithTraceContext(context, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return getTraceContext();
    });
    expect(getTraceContext()).toBeUndefined();
    expect(await later).toBe(context);
    const inner = { traceparent: 'inner' };
    expect(runWithTraceContext(context, () => runWithTraceContext(inner, getTraceContext))).toBe(inner);
    expect(getTraceContext()).toBeUndefined();
  });

  it('adds one header to a request and leaves the others unchanged', async () => {
    const asked: (string | undefined)[][] = [];
    const server = createServer(({ headers }, response) => {
      asked.push([headers['x-key']?.toString(), headers['traceparent']?.toString()]);
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const ask = createGuardedFetch(1_000);
    const headers = { 'x-key': 'k' };
    await (await runWithTraceContext(context, () => ask(url, { headers }))).text();
    await (await runWithTraceContext(context, () => ask(new Request(url, { headers })))).text();
    await (await ask(new Request(url, { headers }))).text();
    server.close();
    expect(asked).toEqual([
      ['k', context.traceparent],
      ['k', context.traceparent],
      ['k', undefined],
    ]);
  });
});
