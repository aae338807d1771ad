import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { BudgetLimits } from '@pawl/core';
import { startProxy, type StartedProxy } from './start-proxy.ts';
import { startUpstream, type UpstreamRequest, type UpstreamReply, type UpstreamServer } from './upstream.ts';

let upstream: UpstreamServer;
let proxy: StartedProxy;

afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

/** Reads on and on, each time something new, until there are no tools any more. */
function respondEagerly({ body }: UpstreamRequest, number: number): UpstreamReply {
  return body['tools'] === undefined || body['tool_choice'] !== undefined
    ? { text: 'That is what I have.' }
    : { call: { tool: 'read', args: { page: number } } };
}

async function startGovernedClient(budgets: Partial<BudgetLimits>): Promise<OpenAI> {
  upstream = await startUpstream(respondEagerly);
  proxy = await startProxy(upstream.url, { budgets });
  return new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
}

const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'read' } }];

type TestConversation = {
  readonly messages: OpenAI.ChatCompletionMessageParam[];
  readonly headers?: Record<string, string>;
};

/** Goes on until the model answers; gives the number of requests. */
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
  it('of requests ends a conversation with an answer, and turns away who goes on after it', async () => {
    const client = await startGovernedClient({ modelCalls: 6 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Read it all.' }];
    expect(await runUntilAnswer(client, { messages })).toBe(6);
    expect(messages.at(-1)).toMatchObject({ content: 'That is what I have.' });
    messages.push({ role: 'user', content: 'Go on.' });
    await expect(runUntilAnswer(client, { messages })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('the budget of 6 model calls is used up') as string,
    });
    expect(upstream.arrived.length).toBe(6);
  });

  it('of tool calls is each conversation’s own', async () => {
    const client = await startGovernedClient({ toolCalls: 3 });
    for (const content of ['Read it all.', 'Read the other one.']) {
      expect(await runUntilAnswer(client, { messages: [{ role: 'user', content }] })).toBe(4);
    }
  });

  it.each([true, false])(
    'of tokens counts what the server says that replies took; streamed: %s',
    async (stream) => {
      upstream = await startUpstream(respondEagerly);
      proxy = await startProxy(upstream.url, { budgets: { tokens: 600 } });
      const client = new Anthropic({ apiKey: 'x', baseURL: proxy.url, maxRetries: 0 });
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Read it all.' }];
      let steps = 0;
      for (;;) {
        const asked = {
          model: 'tiny',
          max_tokens: 9,
          messages,
          tools: [{ name: 'read', input_schema: { type: 'object' as const } }],
        };
        const reply = stream
          ? await client.messages.stream(asked).finalMessage()
          : await client.messages.create(asked);
        steps += 1;
        const call = reply.content.find((block) => block.type === 'tool_use');
        if (call === undefined) break;
        messages.push({ role: 'assistant', content: reply.content });
        messages.push({
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call.id, content: `page ${'x'.repeat(steps)}` }],
        });
      }
      // Each reply takes 110: after four of them, two more would be too many, and one is kept back for the answer.
      expect(steps).toBe(5);
    },
  );

  it('tells conversations that begin alike apart by their header', async () => {
    const client = await startGovernedClient({ tokens: 600 });
    const begin = (name: string) =>
      runUntilAnswer(client, {
        messages: [{ role: 'user', content: 'Read it all.' }],
        headers: { 'X-Pawl-Conversation': name },
      });
    expect(await Promise.all([begin('one'), begin('two')])).toEqual([5, 5]);
  });
});
