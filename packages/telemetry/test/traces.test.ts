import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTelemetry, type TelemetryClient, type TelemetryOptions } from '../src/index.ts';
import { startTestCollector, findTraceProblems, type TestCollector, type ReceivedSpan } from './collector.ts';
import {
  startObserved,
  resumeObserved,
  lookTool,
  createLookReply,
  createPricedModel,
  type ObservedWorker,
} from './observed-worker.ts';

let collector: TestCollector;
const open: TelemetryClient[] = [];

beforeEach(async () => {
  collector = await startTestCollector();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((telemetry) => telemetry.shutdown()));
  await collector.close();
});

function createTestTelemetry(options: Partial<TelemetryOptions> = {}): TelemetryClient {
  const telemetry = createTelemetry({ serviceName: 'roofers', traces: { url: collector.url }, ...options });
  open.push(telemetry);
  return telemetry;
}

/** Flushes all clients and returns the received spans. */
async function flushSpans(): Promise<readonly ReceivedSpan[]> {
  await Promise.all(open.splice(0).map((telemetry) => telemetry.shutdown()));
  return collector.spans();
}

async function runGoal({ agent, detach }: ObservedWorker, goal: string): Promise<void> {
  await agent.sendMessage(goal);
  await agent.waitUntilIdle();
  await detach();
}

const filterByName = (spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] =>
  spans.filter((span) => span.name === name);

const listChildNames = (
  spans: readonly ReceivedSpan[],
  parent: ReceivedSpan | undefined,
): readonly string[] =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId).map(({ name }) => name);

describe('the trace of a session', () => {
  it('is one connected tree of session, turn, model calls, permission, tools, hooks and retries', async () => {
    const model = createPricedModel([
      createLookReply('roof'),
      { failure: { kind: 'overloaded', message: 'too many people' } },
      createLookReply('gutter', 'second'),
      { text: 'Mended.' },
    ]);
    const settings = { retryBaseMs: 10, mutatingTools: ['look'] };
    const worker = await startObserved(
      createTestTelemetry(),
      { id: 'roof', settings },
      {
        model,
        rules: () => 'ask',
        decide: async () => ({ decision: 'allow' }),
        hooks: async () => true,
      },
    );
    await runGoal(worker, 'Mend the roof');
    const spans = await flushSpans();
    expect(findTraceProblems(spans)).toEqual([]);
    const [root] = filterByName(spans, 'session');
    const [turn] = filterByName(spans, 'invoke_agent pawl');
    const round = ['wait for permission', 'execute_tool look', 'run hooks'];
    expect(listChildNames(spans, root)).toEqual(['invoke_agent pawl']);
    expect(listChildNames(spans, turn)).toEqual([
      'chat big-model',
      ...round,
      'chat big-model',
      'wait to retry',
      'chat big-model',
      ...round,
      'chat big-model',
    ]);
    expect(turn?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'pawl',
      'gen_ai.conversation.id': 'roof',
      'pawl.ending': 'answered',
    });
    expect(turn?.resource).toMatchObject({ 'service.name': 'roofers', 'service.version': '0.2.0' });
  });

  it('describes a model call: provider, attempt, usage and result', async () => {
    const model = createPricedModel([
      { failure: { kind: 'rate-limit', message: 'slower, please' } },
      { text: 'Mended.' },
    ]);
    await runGoal(
      await startObserved(createTestTelemetry(), { id: 'roof', settings: { retryBaseMs: 5 } }, { model }),
      'Mend it',
    );
    const [failed, replied] = filterByName(await flushSpans(), 'chat big-model');
    expect(failed).toMatchObject({
      kind: 3,
      status: { code: 2, message: 'rate-limit' },
      attributes: { 'error.type': 'rate-limit', 'pawl.attempt': 1 },
      events: [{ name: 'exception', attributes: { 'exception.type': 'rate-limit' } }],
    });
    expect(replied).toMatchObject({
      status: {},
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.request.model': 'big-model',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 7,
        'pawl.attempt': 2,
        'pawl.cost': 0.25,
      },
    });
    expect(replied?.attributes['gen_ai.response.time_to_first_chunk']).toBeTypeOf('number');
  });

  it('has verdicts as events of the call that caused them, and the error of a failed call', async () => {
    const again = ['a', 'b', 'c', 'd'].map((id) => createLookReply('nowhere', id));
    const model = createPricedModel([...again, { text: 'There is nothing.' }]);
    await runGoal(await startObserved(createTestTelemetry(), { id: 'roof' }, { model }), 'Look for it');
    const spans = await flushSpans();
    expect(findTraceProblems(spans)).toEqual([]);
    const calls = filterByName(spans, 'execute_tool look');
    expect(calls[0]).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'failed', 'gen_ai.tool.name': 'look', 'gen_ai.tool.call.id': 'a' },
    });
    const verdicts = spans.flatMap(({ name, events }) =>
      events.flatMap((event) => (event.name === 'pawl.verdict' ? [{ name, ...event.attributes }] : [])),
    );
    expect(verdicts[0]).toMatchObject({
      name: 'execute_tool look',
      'pawl.verdict.rule': 'repeated-failure',
      'pawl.verdict.response': 'advise',
      'pawl.verdict.evidence': expect.arrayContaining([expect.any(Number)]) as unknown,
    });
  });

  it('has a span for paging and for a pause', async () => {
    const model = createPricedModel([
      { failure: { kind: 'context-overflow', message: 'full' } },
      { text: 'Mended.' },
    ]);
    const worker = await startObserved(
      createTestTelemetry(),
      { id: 'roof' },
      {
        model,
        page: async () => {
          void worker.agent.post({ type: 'pause-requested', reason: 'lunch' });
          setTimeout(() => void worker.agent.post({ type: 'resume-requested' }), 30);
          return { freedTokens: 400 };
        },
      },
    );
    await runGoal(worker, 'Mend it');
    const spans = await flushSpans();
    expect(findTraceProblems(spans)).toEqual([]);
    expect(filterByName(spans, 'page memory')[0]?.attributes).toMatchObject({ 'pawl.freed_tokens': 400 });
    const [pause] = filterByName(spans, 'paused');
    expect((pause?.endMs ?? 0) - (pause?.startMs ?? 0)).toBeGreaterThanOrEqual(20);
  });

  it('marks a repetition loop as a failure, and a cancelled operation not', async () => {
    const loop = 'We mend the roof, and then we mend the roof again. '.repeat(60);
    const model = createPricedModel([{ text: loop }, createLookReply('roof')]);
    const worker = await startObserved(
      createTestTelemetry(),
      { id: 'roof', settings: { retryBaseMs: 1 } },
      {
        model,
        rules: () => 'ask',
        decide: async () => {
          await worker.agent.post({ type: 'cancel-requested' });
          return { decision: 'allow' };
        },
      },
    );
    await runGoal(worker, 'Mend the roof');
    const spans = await flushSpans();
    expect(findTraceProblems(spans)).toEqual([]);
    expect(filterByName(spans, 'chat big-model')[0]?.attributes).toMatchObject({
      'error.type': 'repetition-loop',
    });
    for (const name of ['wait for permission', 'invoke_agent pawl'])
      expect(filterByName(spans, name)).toMatchObject([
        { status: { code: 0 }, attributes: { 'pawl.called_off_by': 'cancel-requested' } },
      ]);
  });

  it('has a turn for each user message', async () => {
    const { agent, detach } = await startObserved(
      createTestTelemetry(),
      { id: 'roof' },
      { model: createPricedModel([{ text: 'Yes.' }, { text: 'No.' }]) },
    );
    await agent.sendMessage('Is it mended?');
    await agent.waitUntilIdle();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await agent.sendMessage('Is it broken?');
    await agent.waitUntilIdle();
    await detach();
    const spans = await flushSpans();
    expect(findTraceProblems(spans)).toEqual([]);
    expect(filterByName(spans, 'invoke_agent pawl')).toHaveLength(2);
  });
});

describe('a session that moves from one worker to another', () => {
  it('continues the same connected trace, with a link to the open turn', async () => {
    const [first, second] = [
      createTestTelemetry({ instance: 'one' }),
      createTestTelemetry({ instance: 'two' }),
    ];
    const asked = Promise.withResolvers<void>();
    const unanswered = {
      model: createPricedModel([createLookReply('roof')]),
      rules: () => 'ask' as const,
      decide: () => {
        asked.resolve();
        return new Promise<never>(() => undefined);
      },
    };
    const one = await startObserved(first, { id: 'roof' }, unanswered);
    await one.agent.sendMessage('Mend the roof');
    await asked.promise;
    await one.agent.detach({ graceMs: 0 });
    one.observer.end();
    const two = await resumeObserved(second, one.store, 'roof', {
      model: createPricedModel([{ text: 'Mended.' }]),
      decide: async () => ({ decision: 'allow' }),
    });
    await two.agent.resume();
    await two.agent.waitUntilIdle();
    await two.detach();
    const spans = await flushSpans();
    expect(findTraceProblems(spans)).toEqual([]);
    const by = (instance: string): readonly string[] =>
      spans.filter(({ resource }) => resource['service.instance.id'] === instance).map(({ name }) => name);
    expect(by('one')).toEqual(['chat big-model', 'session']);
    expect(by('two')).toEqual([
      'wait for permission',
      'execute_tool look',
      'chat big-model',
      'invoke_agent pawl',
      'session resumed',
    ]);
    const [turn] = filterByName(spans, 'invoke_agent pawl');
    const [staySpan] = filterByName(spans, 'session resumed');
    expect(staySpan?.links.map(({ spanId }) => spanId)).toEqual([turn?.spanId]);
    // The turn lasts from the user message in the first worker to the answer in the second.
    expect(turn?.startMs).toBeLessThanOrEqual(filterByName(spans, 'chat big-model')[0]?.startMs ?? 0);
  });

  it('has no spans of a worker that did nothing', async () => {
    const first = createTestTelemetry();
    const one = await startObserved(
      first,
      { id: 'roof' },
      { model: createPricedModel([{ text: 'Mended.' }]) },
    );
    await runGoal(one, 'Mend it');
    const two = await resumeObserved(createTestTelemetry({ instance: 'two' }), one.store, 'roof', {
      model: createPricedModel([]),
    });
    await two.detach();
    const spans = await flushSpans();
    expect(spans.filter(({ resource }) => resource['service.instance.id'] === 'two')).toEqual([]);
  });
});

describe('message content', () => {
  const phrases = ['MEND', 'attic', 'cellar', 'floor plan', 'Mended', 'sk-abcdefghijklmnopqrstuvwx'];
  const goal = 'MEND it, the key is sk-abcdefghijklmnopqrstuvwx';
  const replies = [createLookReply('attic', 'first'), createLookReply('nowhere'), { text: 'Mended.' }];

  it('is not exported by default', async () => {
    await runGoal(
      await startObserved(createTestTelemetry(), { id: 'roof' }, { model: createPricedModel(replies) }),
      goal,
    );
    await flushSpans();
    const bodies = collector.requests.map(({ body }) => body).join('');
    expect(phrases.filter((text) => bodies.includes(text))).toEqual([]);
  });

  it('is exported with secrets masked if enabled', async () => {
    const telemetry = createTestTelemetry({ captureContent: true, secrets: ['floor plan'] });
    await runGoal(
      await startObserved(telemetry, { id: 'roof' }, { model: createPricedModel(replies) }),
      goal,
    );
    const spans = await flushSpans();
    const bodies = collector.requests.map(({ body }) => body).join('');
    expect(phrases.filter((text) => bodies.includes(text))).toEqual(['MEND', 'attic', 'cellar', 'Mended']);
    const [call] = filterByName(spans, 'execute_tool look');
    expect(call?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"at":"attic"}',
      'gen_ai.tool.call.result': '"a cellar full of attic"',
    });
    const last = filterByName(spans, 'chat big-model').at(-1)?.attributes ?? {};
    const input = JSON.parse(String(last['gen_ai.input.messages'])) as { role: string }[];
    expect(input.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(JSON.parse(String(last['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'Mended.' }], finish_reason: 'stop' },
    ]);
  });
});

describe('a collector', () => {
  it('receives the configured headers', async () => {
    const telemetry = createTestTelemetry({
      traces: { url: `${collector.url}/`, headers: { 'x-team': 'roofers' } },
    });
    await runGoal(
      await startObserved(telemetry, { id: 'roof' }, { model: createPricedModel([{ text: 'Yes.' }]) }),
      'Well?',
    );
    await flushSpans();
    expect(collector.requests.map(({ path, headers }) => [path, headers['x-team']])).toEqual([
      ['/v1/traces', 'roofers'],
    ]);
  });

  it('that rejects data is reported once, and again when it recovers', async () => {
    const errors: (string | null)[] = [];
    const telemetry = createTestTelemetry({
      metrics: { otlp: { url: collector.url, everyMs: 30 } },
      onExportError: (message) => errors.push(message),
    });
    const waitForRequests = async (count: number): Promise<void> => {
      while (collector.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    collector.status = 400;
    await waitForRequests(3);
    collector.status = 200;
    await waitForRequests(6);
    await telemetry.shutdown();
    expect(errors).toEqual([expect.stringContaining('/v1/metrics: Bad Request'), null]);
  });

  it('that is unreachable does not disturb the session, and is reported once without secrets', async () => {
    const errors: (string | null)[] = [];
    const { url } = collector;
    await collector.close();
    const telemetry = createTestTelemetry({
      traces: { url: `${url}?key=hush` },
      onExportError: (message) => errors.push(message),
    });
    const worker = await startObserved(
      telemetry,
      { id: 'roof' },
      { model: createPricedModel([createLookReply('roof'), { text: 'Yes.' }]) },
    );
    await runGoal(worker, 'Well?');
    await flushSpans();
    expect(errors).toEqual([
      expect.stringMatching(/^Telemetry cannot be sent to http:\/\/127.*ECONNREFUSED/),
    ]);
    expect(errors.join('')).not.toContain('hush');
    collector = await startTestCollector();
  });
});

describe('without a trace collector', () => {
  it.each([{}, { metrics: { prometheus: true } }])('nothing is exported with %o', async (options) => {
    const telemetry = createTelemetry(options);
    open.push(telemetry);
    const worker = await startObserved(
      telemetry,
      { id: 'roof' },
      { model: createPricedModel([{ text: 'Yes.' }]) },
    );
    const ports = { model: createPricedModel([]), tools: [lookTool] };
    const observed = worker.observer.runInContext(ports);
    expect(observed.tools).toBe(ports.tools);
    // Metrics need the model's responses.
    expect(observed.model === ports.model).toBe(options.metrics === undefined);
    await runGoal(worker, 'Well?');
    expect(await flushSpans()).toEqual([]);
    expect(collector.requests).toEqual([]);
  });
});
