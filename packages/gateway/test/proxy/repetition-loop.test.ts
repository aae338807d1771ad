import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProxy, type StartedProxy } from './start-proxy.ts';
import { startUpstream, type UpstreamServer } from './upstream.ts';

const loopingText = 'I will fix it now. '.repeat(2_000);

let upstream: UpstreamServer;
let proxy: StartedProxy;

beforeEach(async () => {
  upstream = await startUpstream(() => ({ text: loopingText }));
  proxy = await startProxy(upstream.url);
});

afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

const messages = [{ role: 'user' as const, content: 'Fix it.' }];

/** Expects an early cut after a complete event, with a proper ending for the client. */
function expectCut(text: string): void {
  expect(text.length).toBeGreaterThan(100);
  expect(text.length).toBeLessThan(2_000);
  expect(loopingText.startsWith(text)).toBe(true);
  expect(proxy.notes).toEqual(['{"type":"cut"}']);
}

describe('a stream with a repetition loop', () => {
  it('is cut in chat completions', async () => {
    const client = new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
    const stream = client.chat.completions.stream({ model: 'tiny', messages });
    stream.on('error', () => undefined);
    let text = '';
    let reason: string | null = null;
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? '';
      reason = choices[0]?.finish_reason ?? reason;
    }
    expect(reason).toBe('length');
    expectCut(text);
  });

  it('is cut in Anthropic messages', async () => {
    const client = new Anthropic({ apiKey: 'x', baseURL: proxy.url, maxRetries: 0 });
    const reply = await client.messages.stream({ model: 'tiny', max_tokens: 9_000, messages }).finalMessage();
    expect(reply.stop_reason).toBe('max_tokens');
    expectCut(reply.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''));
  });

  it('is cut in responses', async () => {
    const client = new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
    const reply = await client.responses.stream({ model: 'tiny', input: 'Fix it.' }).finalResponse();
    expect([reply.status, reply.incomplete_details?.reason]).toEqual(['incomplete', 'max_output_tokens']);
    expectCut(reply.output_text);
  });

  it('passes unchanged if it is not streamed, because it is already complete', async () => {
    const client = new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
    const reply = await client.chat.completions.create({ model: 'tiny', messages });
    expect(reply.choices[0]?.message.content).toBe(loopingText);
    expect(proxy.notes).toEqual([]);
  });
});
