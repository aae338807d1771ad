import { describe, expect, it } from 'vitest';
import { secretApiKey, clientLoops, maxClientSteps } from './client-loops.ts';
import { startProxiedUpstream } from './start-proxy.ts';
import { offersTools, type UpstreamRequest, type UpstreamReply } from './upstream.ts';

/** A model that requests the same file as long as tools are offered. */
function respondStubbornly(request: UpstreamRequest): UpstreamReply {
  return offersTools(request)
    ? { call: { tool: 'read', args: { path: 'a.txt' } } }
    : { text: 'In short: a.txt holds nothing new.' };
}

describe.each(clientLoops)('an agent that uses %s', (_name, loop, stream) => {
  it('loops without the proxy, and ends with a summary behind it', async () => {
    const { upstream, proxy } = await startProxiedUpstream(respondStubbornly);
    expect(await loop(upstream.url, stream)).toEqual({ steps: maxClientSteps, text: '' });
    const before = upstream.requests.length;
    const { steps, text } = await loop(proxy.url, stream);
    expect(text).toBe('In short: a.txt holds nothing new.');
    expect(steps).toBe(5);
    const governed = upstream.requests.slice(before);
    // Advice in the fourth request, and the final advice in the fifth, which no longer contains that of the fourth.
    const notes = governed.map(({ raw }) => raw.split('Note from the run’s governor').length - 1);
    expect(notes).toEqual([0, 0, 0, 1, 1]);
    expect(governed.every(({ headers }) => JSON.stringify(headers).includes(secretApiKey))).toBe(true);
    expect(proxy.notes.join('\n')).not.toContain(secretApiKey);
  });
});
