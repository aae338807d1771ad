import { afterEach, describe, expect, it } from 'vitest';
import type { BudgetLimits, Event } from '@pawl/core';
import type { JsonFields } from '../../src/json-fields.ts';
import { geminiWireFormat } from '../../src/proxy/gemini.ts';
import { startProxy, type StartedProxy } from './start-proxy.ts';
import {
  offersTools,
  startUpstream,
  type UpstreamReply,
  type UpstreamRequest,
  type UpstreamServer,
} from './upstream.ts';

let upstream: UpstreamServer | undefined;
let proxy: StartedProxy | undefined;

afterEach(async () => {
  await proxy?.close();
  await upstream?.close();
});

async function startTestProxy(
  respond: (request: UpstreamRequest, number: number) => UpstreamReply,
  budgets: Partial<BudgetLimits> = {},
): Promise<void> {
  upstream = await startUpstream(respond);
  proxy = await startProxy(upstream.url, { budgets });
}

type Reply = { readonly status: number; readonly type: string; readonly text: string };

async function postToProxy(path: string, body: object): Promise<Reply> {
  const response = await fetch(`${proxy?.url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

const read = { name: 'read', parameters: { type: 'OBJECT' } };
const userContent = { role: 'user', parts: [{ text: 'What is in a.txt?' }] };

function createRound(name = 'read', response: object = { output: 'the same as ever' }): readonly object[] {
  return [
    { role: 'model', parts: [{ functionCall: { name, args: { path: 'a.txt' } }, thoughtSignature: 'x' }] },
    { role: 'user', parts: [{ functionResponse: { name, response } }] },
  ];
}

function createRequest(rounds: number, functions: readonly object[] = [read]): JsonFields {
  const contents = [userContent, ...Array.from({ length: rounds }, () => createRound()).flat()];
  return { contents, tools: [{ functionDeclarations: functions }] } as unknown as JsonFields;
}

const path = '/v1beta/models/tiny:generateContent';

describe('a request to Gemini', () => {
  it.each([
    '/v1beta/models/tiny:generateContent',
    '/v1/models/tiny:streamGenerateContent?alt=sse',
    '/v1beta1/projects/p/locations/us-central1/publishers/google/models/tiny:generateContent',
    '/v1/projects/p/locations/global/endpoints/7:streamGenerateContent',
  ])('is governed at %s', async (at) => {
    await startTestProxy(() => ({ text: 'Nothing new.' }));
    expect((await postToProxy(at, createRequest(3))).status).toBe(200);
    expect(upstream?.requests[0]?.raw).toContain('Note from the run’s governor');
  });

  it('for countTokens is only forwarded', async () => {
    await startTestProxy(() => ({ text: '' }));
    const body = createRequest(8);
    await postToProxy('/v1beta/models/tiny:countTokens', body);
    expect(upstream?.requests[0]?.raw).toBe(JSON.stringify(body));
  });

  it('gets advice after the results of its last content, and other contents stay unchanged', async () => {
    await startTestProxy(() => ({ text: 'Nothing new.' }));
    const body = createRequest(3);
    await postToProxy(path, body);
    const sent = upstream?.requests[0]?.body['contents'] as readonly { readonly parts: readonly object[] }[];
    const contents = body['contents'] as readonly object[];
    expect(sent.slice(0, -1)).toEqual(contents.slice(0, -1));
    expect(sent.at(-1)?.parts).toEqual([
      { functionResponse: { name: 'read', response: { output: 'the same as ever' } } },
      { text: expect.stringContaining('Note from the run’s governor') as string },
    ]);
  });

  it('loses its tools by the mode NONE, and keeps other settings', async () => {
    await startTestProxy(() => ({ text: 'Nothing new.' }));
    const toolConfig = {
      functionCallingConfig: { mode: 'AUTO' },
      retrievalConfig: { languageCode: 'en' },
    };
    await postToProxy(path, { ...createRequest(4), toolConfig });
    expect(upstream?.requests[0]?.body).toMatchObject({
      tools: [{ functionDeclarations: [read] }],
      toolConfig: { functionCallingConfig: { mode: 'NONE' }, retrievalConfig: { languageCode: 'en' } },
    });
  });

  it('keeps only its completion tool, and is answered with its call afterwards', async () => {
    await startTestProxy(() => ({ call: { tool: 'read', args: { path: 'a.txt' } } }));
    const finish = {
      name: 'complete_task',
      parametersJsonSchema: {
        type: 'object',
        properties: { result: { type: 'string' } },
        required: ['result'],
      },
    };
    await postToProxy(path, createRequest(4, [read, finish]));
    expect(upstream?.requests[0]?.body['tools']).toEqual([{ functionDeclarations: [finish] }]);
    expect(upstream?.requests[0]?.body).not.toHaveProperty('toolConfig');
    const { status, text } = await postToProxy(path, createRequest(5, [read, finish]));
    expect([status, upstream?.requests.length]).toEqual([200, 1]);
    const closing = expect.stringContaining(
      'has closed this conversation: read was called 4 times',
    ) as string;
    expect(JSON.parse(text)).toMatchObject({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: closing },
              { functionCall: { name: 'complete_task', args: { result: closing } } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    });
  });

  it('with an error in its results is a failed call', async () => {
    await startTestProxy(() => ({ text: 'Nothing new.' }));
    const failed = createRound('read', { error: 'No such thing.' });
    await postToProxy(path, { ...createRequest(0), contents: [userContent, ...failed, ...failed] });
    expect(proxy?.notes.join()).toContain('repeated-failure');
  });

  it('to an unreachable server gets an error in its own form', async () => {
    upstream = await startUpstream(() => ({ text: '' }));
    proxy = await startProxy('http://127.0.0.1:1');
    const { status, text } = await postToProxy(path, createRequest(0));
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } });
  });
});

describe('a stream of Gemini with a repetition loop', () => {
  it.each(['?alt=sse', ''])('is cut and ends properly: %j', async (query) => {
    await startTestProxy(() => ({ text: 'I will fix it now. '.repeat(2_000) }));
    const { text } = await postToProxy(`/v1beta/models/tiny:streamGenerateContent${query}`, createRequest(0));
    const chunks = (
      query === ''
        ? JSON.parse(text)
        : text
            .split(/\r?\n\r?\n/)
            .filter((event) => event !== '')
            .map((event) => JSON.parse(event.replace(/^data: /, '')) as unknown)
    ) as readonly { readonly candidates: readonly { readonly finishReason?: string }[] }[];
    expect(chunks.length).toBeLessThan(110);
    expect(chunks.at(-1)?.candidates[0]?.finishReason).toBe('MAX_TOKENS');
    expect(proxy?.notes).toEqual(['{"type":"cut"}']);
  });
});

/** Reads one page after another until the model answers; resolves to the number of requests. */
async function runReadingLoop(): Promise<number> {
  const contents: object[] = [userContent];
  for (let requests = 1; requests < 20; requests += 1) {
    const { text } = await postToProxy(path, { contents, tools: [{ functionDeclarations: [read] }] });
    const { candidates } = JSON.parse(text) as { candidates: { content: { parts: object[] } }[] };
    const parts = candidates[0]?.content.parts ?? [];
    if (!parts.some((part) => 'functionCall' in part)) return requests;
    contents.push({ role: 'model', parts });
    const response = { output: `page ${'x'.repeat(requests)}` };
    contents.push({ role: 'user', parts: [{ functionResponse: { name: 'read', response } }] });
  }
  return 20;
}

describe('the usage of Gemini', () => {
  it('is counted with thoughts and cached tokens, and recorded', async () => {
    await startTestProxy(
      (request, number) =>
        offersTools(request)
          ? { call: { tool: 'read', args: { page: number } } }
          : { text: 'That is what I have.' },
      { tokens: 600 },
    );
    // Each reply takes 110 tokens: after four, two more would exceed the budget, and one is reserved for the answer.
    expect(await runReadingLoop()).toBe(5);
    await proxy?.waitUntilIdle();
    const [summary] = (await proxy?.store.list()) ?? [];
    expect(summary).toMatchObject({ goal: 'What is in a.txt?', steps: 5, metadata: { model: 'tiny' } });
    const events: Event[] = [];
    for await (const { event } of proxy?.store.events(summary?.id ?? '') ?? []) events.push(event);
    const usage = { inputTokens: 100, outputTokens: 10 };
    expect(events.filter(({ type }) => type === 'model-replied')).toMatchObject(
      Array.from({ length: 5 }, () => ({ usage })),
    );
    expect(events.filter(({ type }) => type === 'tool-finished')).toMatchObject(
      Array.from({ length: 4 }, () => ({ outcome: { ok: true } })),
    );
  });
});

function createCallPart(name: string, id?: string): object {
  return { functionCall: { name: 'read', args: { path: name }, id } };
}

function createResultPart(output: string, id?: string): object {
  return { functionResponse: { name: 'read', response: { output }, id } };
}

function parseContents(contents: readonly object[]): readonly JsonFields[] {
  return geminiWireFormat.getMessages({ contents } as unknown as JsonFields, []) ?? [];
}

describe('the messages of Gemini', () => {
  it('pair results with calls by order and name where there are no ids', () => {
    const messages = parseContents([
      userContent,
      {
        role: 'model',
        parts: [{ text: 'Hm.', thought: true }, createCallPart('a'), { functionCall: { name: 'ls' } }],
      },
      // Some clients keep each chunk of a stream as one content.
      { role: 'model', parts: [createCallPart('b')] },
      { role: 'user', parts: [createResultPart('A')] },
      {
        role: 'function',
        parts: [createResultPart('B'), { function_response: { name: 'ls', response: { files: [] } } }],
      },
    ]);
    const [, reply, first, second] = messages as readonly { readonly content: readonly JsonFields[] }[];
    const ids = reply?.content.map(({ id }) => id) ?? [];
    expect(reply?.content).toMatchObject([
      { type: 'tool_use', name: 'read', input: { path: 'a' } },
      { type: 'tool_use', name: 'ls', input: {} },
      { type: 'tool_use', name: 'read', input: { path: 'b' } },
    ]);
    expect(first?.content).toMatchObject([{ tool_use_id: ids[0], content: 'A' }]);
    expect(second?.content).toMatchObject([
      { tool_use_id: ids[2], content: 'B' },
      { tool_use_id: ids[1], content: '{"files":[]}' },
    ]);
  });

  it('pair results with calls by their ids where there are any', () => {
    const messages = parseContents([
      userContent,
      { role: 'model', parts: [createCallPart('a', 'one'), createCallPart('b', 'two')] },
      { role: 'user', parts: [createResultPart('B', 'two'), createResultPart('A', 'one')] },
    ]);
    const [, reply, results] = messages as readonly { readonly content: readonly JsonFields[] }[];
    const ids = reply?.content.map(({ id }) => id) ?? [];
    expect(results?.content).toMatchObject([
      { tool_use_id: ids[1], content: 'B' },
      { tool_use_id: ids[0], content: 'A' },
    ]);
  });
});
