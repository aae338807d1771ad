import { afterEach, describe, expect, it } from 'vitest';
import { secretApiKey, clientLoops, maxClientSteps } from './client-loops.ts';
import { startProxy, type StartedProxy } from './start-proxy.ts';
import { startUpstream, type UpstreamRequest, type UpstreamReply, type UpstreamServer } from './upstream.ts';

let upstream: UpstreamServer;
let proxy: StartedProxy;

afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

/** A model that asks for the same file for as long as there is anything to ask for. */
function respondStubbornly({ body }: UpstreamRequest): UpstreamReply {
  const choice = body['tool_choice'];
  const mayCall = body['tools'] !== undefined && (choice as { type?: string } | undefined)?.type !== 'none';
  return mayCall
    ? { call: { tool: 'read', args: { path: 'a.txt' } } }
    : { text: 'In short: a.txt holds nothing new.' };
}

describe.each(clientLoops)('an agent that speaks %s', (_name, loop, stream) => {
  it('loops without the proxy, and ends with a summary behind it', async () => {
    upstream = await startUpstream(respondStubbornly);
    proxy = await startProxy(upstream.url);
    expect(await loop(upstream.url, stream)).toEqual({ steps: maxClientSteps, text: '' });
    const before = upstream.arrived.length;
    const { steps, text } = await loop(proxy.url, stream);
    expect(text).toBe('In short: a.txt holds nothing new.');
    expect(steps).toBe(5);
    const governed = upstream.arrived.slice(before);
    // One word of advice in the fourth request, and in the fifth the last one; nothing of the fourth is left in it.
    const notes = governed.map(({ raw }) => raw.split('Note from the run’s governor').length - 1);
    expect(notes).toEqual([0, 0, 0, 1, 1]);
    expect(governed.every(({ headers }) => JSON.stringify(headers).includes(secretApiKey))).toBe(true);
    expect(proxy.notes.join('\n')).not.toContain(secretApiKey);
  });
});
