import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { BudgetLimits } from '@pawl/core';
import { startProxiedUpstream, type StartedProxy } from './start-proxy.ts';
import type { UpstreamRequest, UpstreamReply, UpstreamServer } from './upstream.ts';

let upstream: UpstreamServer;
let proxy: StartedProxy;

/** Reads something new each time, until no tools are offered. */
function respondEagerly({ body }: UpstreamRequest, number: number): UpstreamReply {
  return body['tools'] === undefined || body['tool_choice'] !== undefined
    ? { text: 'That is what I have.' }
    : { call: { tool: 'read', args: { page: number } } };
}

async function startGovernedClient(budgets: Partial<BudgetLimits>): Promise<OpenAI> {
  ({ upstream, proxy } = await startProxiedUpstream(respondEagerly, { budgets }));
  return new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
}

const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'read' } }];

type TestConversation = {
  readonly messages: OpenAI.ChatCompletionMessageParam[];
  readonly headers?: Record<string, string>;
};

/** Runs the conversation until the model answers; resolves to the number of requests. */
async function runUntilAnswer(client: OpenAI, { messages, headers = {} }: TestConversation): Promise<number> {
  for (let steps = 1; steps < 50; steps += 1) {
    const reply = await client.chat.completions.create({ model: 'tiny', messages, tools }, { headers });
    const message = reply.choices[0]?.message;
    messages.push({
      role: 'assistant',
      content: message?.content ?? '',
      ...(message?.tool_calls && { tool_calls: message.tool_calls }),
    });
    if (message?.tool_calls === undefined) return steps;
    for (const { id } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: `page ${'x'.repeat(steps)}` });
  }
  return 50;
}

describe('a budget', () => {
  it('of requests ends a conversation with an answer, and the proxy answers requests after it', async () => {
    const client = await startGovernedClient({ modelCalls: 6 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Read it all.' }];
    expect(await runUntilAnswer(client, { messages })).toBe(6);
    expect(messages.at(-1)).toMatchObject({ content: 'That is what I have.' });
    messages.push({ role: 'user', content: 'Go on.' });
    expect(await runUntilAnswer(client, { messages })).toBe(1);
    expect(messages.at(-1)).toMatchObject({
      content: expect.stringContaining('the budget of 6 model calls is used up') as string,
    });
    expect(upstream.requests.length).toBe(6);
  });

  it('of tool calls applies to each conversation separately', async () => {
    const client = await startGovernedClient({ toolCalls: 3 });
    for (const content of ['Read it all.', 'Read the other one.']) {
      expect(await runUntilAnswer(client, { messages: [{ role: 'user', content }] })).toBe(4);
    }
  });

  it.each([true, false])(
    'of tokens counts the usage that the server reports; streamed: %s',
    async (stream) => {
      ({ upstream, proxy } = await startProxiedUpstream(respondEagerly, { budgets: { tokens: 600 } }));
      const client = new Anthropic({ apiKey: 'x', baseURL: proxy.url, maxRetries: 0 });
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Read it all.' }];
      let steps = 0;
      for (;;) {
        const request = {
          model: 'tiny',
          max_tokens: 9,
          messages,
          tools: [{ name: 'read', input_schema: { type: 'object' as const } }],
        };
        const reply = stream
          ? await client.messages.stream(request).finalMessage()
          : await client.messages.create(request);
        steps += 1;
        const call = reply.content.find((block) => block.type === 'tool_use');
        if (call === undefined) break;
        messages.push({ role: 'assistant', content: reply.content });
        messages.push({
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call.id, content: `page ${'x'.repeat(steps)}` }],
        });
      }
      // Each reply takes 110 tokens: after four, two more would exceed the budget, and one is reserved for the answer.
      expect(steps).toBe(5);
    },
  );

  it('distinguishes conversations that start alike by their header', async () => {
    const client = await startGovernedClient({ tokens: 600 });
    const run = (name: string) =>
      runUntilAnswer(client, {
        messages: [{ role: 'user', content: 'Read it all.' }],
        headers: { 'X-Pawl-Conversation': name },
      });
    expect(await Promise.all([run('one'), run('two')])).toEqual([5, 5]);
  });
});
