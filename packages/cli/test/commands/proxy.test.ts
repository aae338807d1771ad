import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { runProxy } from '../../src/commands/proxy/action.ts';
import { listSessions } from '../../src/commands/sessions/action.ts';
import { captureIo } from '../capture-io.ts';
import { startUpstream, type UpstreamServer } from '../../../gateway/test/proxy/upstream.ts';

let upstream: UpstreamServer | undefined;
afterEach(() => upstream?.close());

const chatRequest: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'tiny',
  messages: [{ role: 'user', content: 'Which files are there?' }],
  tools: [{ type: 'function', function: { name: 'ls' } }],
};

describe('pawl proxy', () => {
  it('governs until it is stopped, and pawl sessions lists its conversations', async () => {
    upstream = await startUpstream(() => ({ text: 'Three.' }));
    const dir = mkdtempSync(join(tmpdir(), 'pawl-proxy-'));
    const store = join(dir, 'sessions.db');
    const stop = new AbortController();
    const { io, out } = captureIo();
    const running = runProxy({ upstream: upstream.url, port: '0', dir, store, signal: stop.signal }, io);
    await expect.poll(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+ governs http:\/\/127\.0\.0\.1:\d+\n$/);
    const [address] = out().split(' ');
    const client = new OpenAI({ apiKey: 'sk-secret', baseURL: `${address}/v1` });
    const reply = await client.chat.completions.create(chatRequest);
    expect(reply.choices[0]?.message.content).toBe('Three.');
    stop.abort();
    expect(await running).toBe(0);
    await expect(client.chat.completions.create(chatRequest, { maxRetries: 0 })).rejects.toThrow();
    const listed = captureIo();
    await listSessions({ dir, store, limit: '10', json: true }, listed.io);
    expect(JSON.parse(listed.out())).toMatchObject({
      goal: 'Which files are there?',
      status: 'waitingForUser',
      model: 'tiny',
      about: { kind: 'proxy', upstream: upstream.url },
    });
  });

  it('prints its address and verdicts as JSON; saves nothing with --store none', async () => {
    upstream = await startUpstream(() => ({ text: 'I will fix it now. '.repeat(500) }));
    const stop = new AbortController();
    const { io, out } = captureIo();
    const flags = {
      upstream: upstream.url,
      port: '0',
      dir: '.',
      store: 'none',
      json: true,
      signal: stop.signal,
    };
    const running = runProxy(flags, io);
    await expect.poll(out).toContain('\n');
    const { type, url } = JSON.parse(out()) as { readonly type: string; readonly url: string };
    expect(type).toBe('listening');
    const client = new OpenAI({ apiKey: 'x', baseURL: `${url}/v1` });
    for await (const _ of await client.chat.completions.create({ ...chatRequest, stream: true }));
    stop.abort();
    expect(await running).toBe(0);
    expect(JSON.parse(out().split('\n')[1] ?? '')).toEqual({ type: 'cut' });
  });

  it.each([
    [{ upstream: undefined }, /--upstream must be the URL/],
    [{ upstream: 'api.openai.com' }, /--upstream must be the URL/],
    [{ upstream: 'ftp://example.org' }, /--upstream must be the URL/],
    [{ upstream: 'https://key:sk-secret@example.org' }, /^(?!.*sk-secret).*--upstream/],
    [{ port: 'http' }, /--port must be a whole number/],
    [{ port: '70000' }, /--port must be a whole number from 0 to 65535, got "70000"/],
    [{ dir: '/nowhere/at/all' }, /^Folder "\/nowhere\/at\/all" does not exist/],
    [{ completionTool: ['give_up', 'finish now'] }, /--completion-tool must be the name .* got "finish now"/],
    [{ allowOrigin: ['*'] }, /--allow-origin must be one origin, .* got "\*"/],
    [{ allowOrigin: ['https://app.example.org/path'] }, /--allow-origin must be one origin/],
    [{ maxSteps: '0' }, /--max-steps/],
  ])('refuses %j with one clear error', async (wrong, message) => {
    const { signal } = new AbortController();
    const right = { upstream: 'http://127.0.0.1:9', port: '0', dir: '.', store: 'none', signal };
    await expect(runProxy({ ...right, ...wrong }, captureIo().io)).rejects.toThrow(message);
  });
});
