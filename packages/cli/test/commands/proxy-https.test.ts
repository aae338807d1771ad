import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { startUpstream, type UpstreamServer } from '../../../gateway/test/proxy/upstream.ts';

const folder = join(import.meta.dirname, 'certificate');
const cert = join(folder, 'cert.pem');
const tls = { key: readFileSync(join(folder, 'key.pem'), 'utf8'), cert: readFileSync(cert, 'utf8') };
const bin = join(import.meta.dirname, '..', '..', 'bin', 'pawl.js');

let upstream: UpstreamServer | undefined;
let child: ChildProcess | undefined;
afterEach(async () => {
  child?.kill('SIGTERM');
  await upstream?.close();
});

/** Starts the command itself, because Node reads its trusted certificates at startup. */
async function startHttpsProxy(url: string, env: NodeJS.ProcessEnv): Promise<OpenAI> {
  const args = [bin, 'proxy', '--upstream', url, '--port', '0', '--store', 'none', '--json'];
  child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const { value } = (await lines[Symbol.asyncIterator]().next()) as { readonly value: string };
  const { url: at } = JSON.parse(value) as { readonly url: string };
  return new OpenAI({ apiKey: 'sk-secret', baseURL: `${at}/v1`, maxRetries: 0 });
}

const chatRequest = { model: 'tiny', messages: [{ role: 'user' as const, content: 'Are you there?' }] };

describe('a proxy in front of https', () => {
  it('forwards requests and replies, streamed or not', async () => {
    upstream = await startUpstream(() => ({ text: 'Yes.' }), tls);
    const client = await startHttpsProxy(upstream.url, { ...process.env, NODE_EXTRA_CA_CERTS: cert });
    const whole = await client.chat.completions.create(chatRequest);
    expect(whole.choices[0]?.message.content).toBe('Yes.');
    let text = '';
    for await (const { choices } of await client.chat.completions.create({ ...chatRequest, stream: true }))
      text += choices[0]?.delta.content ?? '';
    expect(text).toBe('Yes.');
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-secret',
      'Bearer sk-secret',
    ]);
    expect(upstream.requests[0]?.headers.host).toBe(new URL(upstream.url).host);
  });

  it('sends nothing to a server with an untrusted certificate', async () => {
    upstream = await startUpstream(() => ({ text: 'Yes.' }), tls);
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const client = await startHttpsProxy(upstream.url, env);
    await expect(client.chat.completions.create(chatRequest)).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/does not answer: .*self-signed/),
    });
    expect(upstream.requests).toEqual([]);
  });
});
