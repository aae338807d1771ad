import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { clientLoops, maxClientSteps } from './client-loops.ts';
import { startProxiedUpstream, type StartedProxy } from './start-proxy.ts';
import { offersTools, type UpstreamReply, type UpstreamRequest, type UpstreamServer } from './upstream.ts';

let upstream: UpstreamServer;
let proxy: StartedProxy;

const path = 'a.txt';

/** A model that calls a tool as long as any is offered, even one that does not exist. */
function respondWithCall(): UpstreamReply {
  return { call: { tool: 'read', args: { path } } };
}

/** A model that ends with the completion tool once it is the only tool. */
function respondWithLastTool({ body }: UpstreamRequest): UpstreamReply {
  const tools = (body['tools'] ?? []) as { readonly name?: string; readonly function?: { name: string } }[];
  const names = tools.map((tool) => tool.function?.name ?? tool.name ?? '');
  return names.length === 1 && names[0] !== 'read'
    ? { call: { tool: names[0] ?? '', args: { result: 'Nothing new.' } } }
    : { call: { tool: 'read', args: { path } } };
}

async function startTestProxy(
  respond: (request: UpstreamRequest, number: number) => UpstreamReply,
  completionTools: readonly string[] = [],
): Promise<OpenAI> {
  ({ upstream, proxy } = await startProxiedUpstream(respond, {}, { completionTools }));
  return new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
}

describe.each(clientLoops)('an agent that uses %s', (_name, loop, stream) => {
  it('ends with an answer of the proxy if its model calls tools that are not offered', async () => {
    await startTestProxy(respondWithCall);
    const { steps, text } = await loop(proxy.url, stream);
    expect(steps).toBe(5);
    expect(text).toMatch(
      /^The governor \(pawl proxy\) has closed this conversation: read was called 4 times/,
    );
    expect(upstream.requests.length).toBe(5);
  });
});

const completionSchema = {
  type: 'object',
  properties: {
    result: { type: 'string' },
    command: { type: 'string' },
    status: { type: 'string', enum: ['success', 'failure'] },
  },
  required: ['result', 'status'],
};

type CompletionLoop = (
  name: string,
  stream: boolean,
) => Promise<{ readonly steps: number; readonly args: unknown }>;

/** An agent that continues until its completion tool is called, and ignores text. */
const runChatAgent: CompletionLoop = async (name, stream) => {
  const client = new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What is in a.txt?' }];
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'read', parameters: { type: 'object' } } },
    { type: 'function', function: { name, parameters: completionSchema } },
  ];
  for (let steps = 1; steps <= maxClientSteps; steps += 1) {
    const request = { model: 'tiny', messages, tools, tool_choice: 'auto' as const };
    const { choices } = stream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request);
    const message = choices[0]?.message;
    if (message === undefined) break;
    messages.push({ role: 'assistant', content: message.content, tool_calls: message.tool_calls ?? [] });
    for (const call of message.tool_calls ?? []) {
      if (call.type !== 'function') continue;
      if (call.function.name === name) return { steps, args: JSON.parse(call.function.arguments) };
      messages.push({ role: 'tool', tool_call_id: call.id, content: 'the same as ever' });
    }
  }
  return { steps: maxClientSteps, args: null };
};

const runAnthropicAgent: CompletionLoop = async (name, stream) => {
  const client = new Anthropic({ apiKey: 'x', baseURL: proxy.url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is in a.txt?' }];
  const tools = [
    { name: 'read', input_schema: { type: 'object' as const } },
    { name, input_schema: { ...completionSchema, type: 'object' as const } },
  ];
  for (let steps = 1; steps <= maxClientSteps; steps += 1) {
    const request = { model: 'tiny', max_tokens: 100, messages, tools };
    const reply = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    messages.push({ role: 'assistant', content: reply.content });
    const calls = reply.content.filter((block) => block.type === 'tool_use');
    const last = calls.find((call) => call.name === name);
    if (last !== undefined) return { steps, args: last.input };
    const content = calls.map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: 'the same as ever',
    }));
    messages.push({ role: 'user', content });
  }
  return { steps: maxClientSteps, args: null };
};

const runResponsesAgent: CompletionLoop = async (name, stream) => {
  const client = new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is in a.txt?' }];
  const tools: OpenAI.Responses.Tool[] = [
    { type: 'function', name: 'read', parameters: { type: 'object' }, strict: false },
    { type: 'function', name, parameters: completionSchema, strict: false },
  ];
  for (let steps = 1; steps <= maxClientSteps; steps += 1) {
    const request = { model: 'tiny', input, tools };
    const reply = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    input.push(...reply.output.map((item) => item as OpenAI.Responses.ResponseInputItem));
    for (const item of reply.output) {
      if (item.type !== 'function_call') continue;
      if (item.name === name) return { steps, args: JSON.parse(item.arguments) };
      input.push({ type: 'function_call_output', call_id: item.call_id, output: 'the same as ever' });
    }
  }
  return { steps: maxClientSteps, args: null };
};

const completionLoops: readonly (readonly [string, CompletionLoop, boolean])[] = [
  ['chat completions', runChatAgent, false],
  ['chat completions, streamed', runChatAgent, true],
  ['Anthropic messages', runAnthropicAgent, false],
  ['Anthropic messages, streamed', runAnthropicAgent, true],
  ['responses', runResponsesAgent, false],
  ['responses, streamed', runResponsesAgent, true],
];

function getToolNames({ body }: UpstreamRequest): readonly string[] {
  const tools = (body['tools'] ?? []) as { readonly name?: string; readonly function?: { name: string } }[];
  return tools.map((tool) => tool.function?.name ?? tool.name ?? '');
}

describe.each(completionLoops)('an agent with a completion tool that uses %s', (_name, loop, stream) => {
  it('keeps this tool for its last answer', async () => {
    await startTestProxy(respondWithLastTool);
    expect(await loop('attempt_completion', stream)).toEqual({ steps: 5, args: { result: 'Nothing new.' } });
    const last = upstream.requests.at(-1);
    expect(last && getToolNames(last)).toEqual(['attempt_completion']);
    expect(last?.raw).toContain(
      'The only tool left is attempt_completion and this is your last reply: call it',
    );
    expect(last?.raw).not.toContain('There are no tools any more');
  });

  it('keeps a tool that is named by an option', async () => {
    await startTestProxy(respondWithLastTool, ['give_up']);
    expect((await loop('give_up', stream)).steps).toBe(5);
  });

  it('is ended by a call of the proxy if its model does not end it', async () => {
    await startTestProxy(respondWithCall);
    const { steps, args } = await loop('finish', stream);
    expect(steps).toBe(5);
    expect(args).toEqual({
      result: expect.stringContaining('has closed this conversation: read was called 4 times') as string,
      status: 'failure',
    });
    expect(upstream.requests.length).toBe(5);
  });
});

const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'read' } },
  { type: 'function', function: { name: 'submit' } },
];

/** Runs a loop until the proxy answers itself, in place of the fifth reply of the model. */
async function runUntilClosed(client: OpenAI): Promise<OpenAI.ChatCompletionMessageParam[]> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What is in a.txt?' }];
  for (let steps = 1; steps <= 5; steps += 1) await continueConversation(client, messages);
  return messages;
}

async function continueConversation(
  client: OpenAI,
  messages: OpenAI.ChatCompletionMessageParam[],
  offered: OpenAI.ChatCompletionTool[] = tools,
): Promise<OpenAI.ChatCompletionMessage | undefined> {
  const { choices } = await client.chat.completions.create({ model: 'tiny', messages, tools: offered });
  const message = choices[0]?.message;
  messages.push({
    role: 'assistant',
    content: message?.content ?? '',
    tool_calls: message?.tool_calls ?? [],
  });
  for (const { id } of message?.tool_calls ?? [])
    messages.push({ role: 'tool', tool_call_id: id, content: 'the same as ever' });
  return message;
}

describe('a last reply', () => {
  it('that is empty is replaced by an answer of the proxy', async () => {
    const client = await startTestProxy((request) =>
      offersTools(request) ? { call: { tool: 'read', args: { path } } } : { text: ' ' },
    );
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What is in a.txt?' }];
    for (let steps = 1; steps <= 5; steps += 1)
      await continueConversation(client, messages, tools.slice(0, 1));
    expect(messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: expect.stringMatching(/^The governor \(pawl proxy\) has closed/) as string,
    });
    expect(proxy.notes.at(-1)).toBe('{"type":"replaced"}');
    await proxy.waitUntilIdle();
    expect(await proxy.store.list()).toMatchObject([{ status: 'halted', steps: 5 }]);
  });
});

describe('a closed conversation', () => {
  it('answers a client in a tight loop without the model, and reports this once', async () => {
    const client = await startTestProxy(respondWithCall);
    const messages = await runUntilClosed(client);
    const calls: (string | undefined)[] = [];
    for (let times = 0; times < 8; times += 1) {
      const message = await continueConversation(client, messages);
      const call = message?.tool_calls?.[0];
      calls.push(call?.type === 'function' ? call.function.name : undefined);
    }
    // An agent that ignores the calls of its completion tool gets a plain answer at times.
    expect(calls).toEqual(['submit', 'submit', undefined, 'submit', 'submit', 'submit', undefined, 'submit']);
    expect(upstream.requests.length).toBe(5);
    expect(proxy.notes.filter((note) => note.includes('"over"')).length).toBe(1);
    const ids = messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('works again after a new user message', async () => {
    const client = await startTestProxy(respondWithCall);
    const messages = await runUntilClosed(client);
    await continueConversation(client, messages);
    messages.push({ role: 'user', content: 'Then look into b.txt.' });
    await continueConversation(client, messages);
    expect(upstream.requests.length).toBe(6);
    expect(upstream.requests.at(-1)?.body).toEqual({ model: 'tiny', messages: messages.slice(0, -2), tools });
  });

  it('continues from the last reply that the server knows, where the server holds the history', async () => {
    const client = await startTestProxy(respondWithCall);
    const responsesTools = [{ type: 'function' as const, name: 'read', parameters: {}, strict: false }];
    let input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is in a.txt?' }];
    let previous: string | null = null;
    for (let steps = 1; steps <= 7; steps += 1) {
      const reply: OpenAI.Responses.Response = await client.responses.create({
        model: 'tiny',
        input,
        previous_response_id: previous,
        tools: responsesTools,
      });
      previous = reply.id;
      input = reply.output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'the same as ever' }]
          : [],
      );
    }
    expect(upstream.requests.length).toBe(5);
    input = [{ role: 'user', content: 'Then look into b.txt.' }];
    await client.responses.create({
      model: 'tiny',
      input,
      previous_response_id: previous,
      tools: responsesTools,
    });
    const { body } = upstream.requests[5] ?? {};
    expect(body).toMatchObject({
      previous_response_id: 'resp_4',
      input: [
        { type: 'function_call_output', call_id: 'call_4' },
        { type: 'message', role: 'assistant' },
        { type: 'message', role: 'assistant' },
        { type: 'message', role: 'assistant' },
        { role: 'user', content: 'Then look into b.txt.' },
      ],
    });
  });
});
