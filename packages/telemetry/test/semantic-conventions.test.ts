import { createModelFromSpec } from '@pawl/runtime/models';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendEvents, startTestServer } from '../../../scripts/testing/test-server.ts';
import { wireFormats, type WireReply } from '../../runtime/test/models/providers/wire-formats.ts';
import { createTelemetry } from '../src/index.ts';
import { getModelAttributes, parseModelIdentity } from '../src/semconv.ts';
import {
  startTestCollector,
  type ReceivedMetric,
  type ReceivedSpan,
  type TestCollector,
} from './collector.ts';
import { createLookReply, createPricedModel, startObserved } from './observed-worker.ts';

const schemaUrl = 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev';
const durationBounds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

let collector: TestCollector;

beforeEach(async () => {
  collector = await startTestCollector();
});

afterEach(() => collector.close());

type Exported = { readonly spans: readonly ReceivedSpan[]; readonly metrics: readonly ReceivedMetric[] };

/** Runs one session with a model and returns what the collector received. */
async function exportSession(model: ReturnType<typeof createPricedModel>): Promise<Exported> {
  const telemetry = createTelemetry({
    traces: { url: collector.url },
    metrics: { otlp: { url: collector.url, everyMs: 60_000 } },
  });
  const { agent, detach } = await startObserved(
    telemetry,
    { id: 'roof', settings: { retryBaseMs: 1, maxRetries: 0 } },
    { model },
  );
  await agent.sendMessage('Mend it');
  await agent.waitUntilIdle();
  await detach();
  await telemetry.shutdown();
  return { spans: collector.spans(), metrics: collector.metrics() };
}

const getMetric = ({ metrics }: Exported, name: string): ReceivedMetric =>
  metrics.find((metric) => metric.name === name) ?? expect.fail(`${name} was not exported`);

const getSpan = ({ spans }: Exported, name: string): ReceivedSpan =>
  spans.find((span) => span.name === name) ?? expect.fail(`${name} was not exported`);

/** A model of a real provider package, whose server is on this machine. */
async function openServedModel(format: string, ...replies: readonly WireReply[]) {
  const wire = wireFormats.find(({ name }) => name === format) ?? expect.fail();
  const { url } = await startTestServer((response, _, index) =>
    sendEvents(response, wire.events(replies[Math.min(index, replies.length - 1)] ?? {})),
  );
  return { model: await wire.open(url), port: Number(new URL(url).port) };
}

describe('a request to a provider, in the conventions for generative AI', () => {
  it('is a span with the response, the server and the finish reason', async () => {
    const { model, port } = await openServedModel(
      'openai-compatible',
      { calls: [{ id: 'c', tool: 'look', input: '{"at":"roof"}' }] },
      { text: ['Mended.'] },
    );
    const exported = await exportSession(model);
    const chats = exported.spans.filter(({ name }) => name === 'chat test-model');
    expect(chats.map(({ kind }) => kind)).toEqual([3, 3]);
    expect(chats.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])).toEqual([
      ['tool_call'],
      ['stop'],
    ]);
    expect(chats[1]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.conversation.id': 'roof',
      'gen_ai.request.model': 'test-model',
      'gen_ai.request.stream': true,
      'gen_ai.response.id': 'c1',
      'gen_ai.response.model': 'm',
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 30,
      'server.address': '127.0.0.1',
      'server.port': port,
    });
    expect(getSpan(exported, 'execute_tool look')).toMatchObject({
      kind: 1,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.agent.name': 'pawl',
        'gen_ai.conversation.id': 'roof',
        'gen_ai.tool.call.id': 'c',
        'gen_ai.tool.name': 'look',
        'gen_ai.tool.type': 'function',
      },
    });
    expect(getSpan(exported, 'invoke_agent pawl')).toMatchObject({
      kind: 1,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'pawl',
        'gen_ai.conversation.id': 'roof',
        'gen_ai.provider.name': 'openai-compatible',
        'gen_ai.request.model': 'test-model',
      },
    });
  });

  it('is counted in the histograms of tokens and durations, with the recommended buckets', async () => {
    const { model, port } = await openServedModel('openai-compatible', { text: ['Mended.'] });
    const exported = await exportSession(model);
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'test-model',
      'gen_ai.response.model': 'm',
      'server.address': '127.0.0.1',
      'server.port': port,
    };
    expect(getMetric(exported, 'gen_ai.client.operation.duration')).toMatchObject({
      unit: 's',
      points: [{ attributes, count: 1, bounds: durationBounds }],
    });
    expect(getMetric(exported, 'gen_ai.client.operation.time_to_first_chunk').points).toMatchObject([
      { attributes, count: 1, bounds: durationBounds },
    ]);
    const usage = getMetric(exported, 'gen_ai.client.token.usage');
    expect(usage.unit).toBe('{token}');
    const bounds = [
      1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
    ];
    expect(usage.points).toEqual([
      { attributes: { ...attributes, 'gen_ai.token.type': 'input' }, count: 1, sum: 120, bounds },
      { attributes: { ...attributes, 'gen_ai.token.type': 'output' }, count: 1, sum: 30, bounds },
    ]);
  });

  it('that fails has the type of the error and what the provider said', async () => {
    const { model, port } = await openServedModel('anthropic', { text: ['Men'], finish: 'filter' });
    const exported = await exportSession(model);
    const chat = getSpan(exported, 'chat test-model').attributes;
    expect(chat).toMatchObject({
      'error.type': 'refused',
      'gen_ai.response.finish_reasons': ['content_filter'],
      'server.port': port,
    });
    expect(chat['gen_ai.response.id']).toBeTypeOf('string');
    const [point, ...others] = getMetric(exported, 'gen_ai.client.operation.duration').points;
    expect(others).toEqual([]);
    expect(point?.attributes).toMatchObject({ 'error.type': 'refused', 'server.port': port });
    expect(exported.metrics.map(({ name }) => name)).not.toContain('gen_ai.client.token.usage');
  });

  it('without a server has no attributes of one, nor of a response that nobody described', async () => {
    const exported = await exportSession(createPricedModel([createLookReply('roof'), { text: 'Mended.' }]));
    const names = [...getMetric(exported, 'gen_ai.client.token.usage').points, ...exported.spans].flatMap(
      ({ attributes }) => Object.keys(attributes),
    );
    expect(names.filter((name) => /^server\.|^gen_ai\.response\.(?:id|model)$/.test(name))).toEqual([]);
    expect(getMetric(exported, 'gen_ai.execute_tool.duration').points).toMatchObject([
      {
        attributes: {
          'gen_ai.tool.name': 'look',
          'gen_ai.tool.type': 'function',
          'gen_ai.agent.name': 'pawl',
        },
        bounds: durationBounds,
      },
    ]);
    expect(getMetric(exported, 'gen_ai.invoke_agent.duration').points).toMatchObject([
      { bounds: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6] },
    ]);
  });

  it('declares the schema of the conventions on spans and metrics', async () => {
    const { spans, metrics } = await exportSession(createPricedModel([{ text: 'Mended.' }]));
    expect(new Set([...spans, ...metrics].map((each) => each.schemaUrl))).toEqual(new Set([schemaUrl]));
  });

  it('keeps the response of an aborted request apart from the next one', async () => {
    const aborted = Promise.withResolvers<void>();
    let requests = 0;
    const model = {
      name: 'anthropic:big-model',
      async *stream(_: unknown, signal: AbortSignal) {
        requests += 1;
        const response = { id: `response-${requests}` };
        if (requests === 1) {
          started.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          await aborted.promise;
        }
        yield { type: 'reply' as const, text: 'Yes.', calls: [], response };
      },
    };
    const started = Promise.withResolvers<void>();
    const telemetry = createTelemetry({ traces: { url: collector.url } });
    const { agent, detach } = await startObserved(telemetry, { id: 'roof' }, { model });
    await agent.sendMessage('Well?');
    await started.promise;
    await agent.post({ type: 'cancel-requested' });
    await agent.waitUntilIdle();
    aborted.resolve();
    await agent.sendMessage('Well?');
    await agent.waitUntilIdle();
    await detach();
    await telemetry.shutdown();
    const chats = collector.spans().filter(({ name }) => name === 'chat big-model');
    expect(chats.map(({ attributes }) => attributes['gen_ai.response.id'])).toEqual([
      undefined,
      'response-2',
    ]);
  });
});

describe('the identity of a model', () => {
  it.each([
    ['google:gemini-flash', 'gcp.gemini'],
    ['mistral:large', 'mistral_ai'],
    ['xai:grok', 'x_ai'],
    ['amazon-bedrock:nova', 'aws.bedrock'],
    ['anthropic:big-model', 'anthropic'],
    ['vllm:qwen', 'vllm'],
    ['librarian', 'pawl'],
  ])('names the provider of %s as the conventions do', (name, provider) => {
    expect(getModelAttributes(parseModelIdentity(name))['gen_ai.provider.name']).toBe(provider);
  });

  it.each([
    ['http://127.0.0.1:11434/v1', { address: '127.0.0.1', port: 11_434 }],
    ['http://[::1]/v1', { address: '::1', port: 80 }],
    ['https://models.example.com', { address: 'models.example.com', port: 443 }],
  ])('has the server of the base URL %s', async (baseUrl, server) => {
    const model = await createModelFromSpec('openai-compatible:m', {}, { baseUrl });
    expect(model.server).toEqual(server);
  });
});
