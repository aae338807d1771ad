import { describe, expect, it } from 'vitest';
import { clientLoops } from './client-loops.ts';
import { startProxiedUpstream } from './start-proxy.ts';
import type { UpstreamRequest, UpstreamReply } from './upstream.ts';

/** A model that reads one file after another and then answers. */
function respondProductively(_request: UpstreamRequest, number: number): UpstreamReply {
  const files = 200;
  return number <= files
    ? { call: { tool: 'read', args: { path: `${number}.txt` } } }
    : { text: 'All of them are read.' };
}

describe.each(clientLoops)('an agent that uses %s', (_name, loop, stream) => {
  it('makes 200 productive steps without interference', async () => {
    const { upstream, proxy } = await startProxiedUpstream(respondProductively);
    expect(await loop(proxy.url, stream)).toEqual({ steps: 201, text: 'All of them are read.' });
    expect(upstream.requests.some(({ raw }) => raw.includes('Note from'))).toBe(false);
    expect(proxy.notes).toEqual([]);
  });
});
