import type { LanguageModelV3, LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAiSdkModel, type AiSdkModelOptions } from '../../../src/models/providers/ai-sdk-model.ts';
import { createThinkFilter } from '../../../src/models/providers/ai-sdk-parts.ts';
import { computeUsage } from '../../../src/models/prices.ts';
import {
  createTextRequest,
  collectModelFailure,
  collectModelStream,
  collectModelReply,
} from './collect-stream.ts';

type TestStreamPart = LanguageModelV4StreamPart;

const baseModel = { provider: 'test.chat', modelId: 'm', supportedUrls: {} };
const noUsage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
const stopPart: TestStreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: noUsage,
};

function createTestModel(doStream: LanguageModelV4['doStream'], options?: AiSdkModelOptions) {
  const model: LanguageModelV4 = {
    ...baseModel,
    specificationVersion: 'v4',
    doStream,
    doGenerate: () => Promise.reject(new Error('Nobody asks for this.')),
  };
  return createAiSdkModel(model, options);
}

function createStreamingModel(parts: readonly TestStreamPart[], options?: AiSdkModelOptions) {
  return createTestModel(() => Promise.resolve({ stream: ReadableStream.from(parts) }), options);
}

const createTextDelta = (delta: string): TestStreamPart => ({ type: 'text-delta', id: '0', delta });

describe('a model of the AI SDK', () => {
  it('keeps its contract for any stream parts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryPart(), { maxLength: 12 }), async (parts) => {
        const { last } = await collectModelStream(createStreamingModel(parts));
        if (last.type === 'reply') {
          expect(parts.some(({ type }) => type === 'finish')).toBe(true);
          expect(parts.some(({ type }) => type === 'error')).toBe(false);
          for (const { args } of last.calls) expect(args).toBeTypeOf('object');
        }
      }),
    );
  });

  it('may have specification version v3', async () => {
    const model: LanguageModelV3 = {
      ...baseModel,
      specificationVersion: 'v3',
      doGenerate: () => Promise.reject(new Error('Nobody asks for this.')),
      doStream: () =>
        Promise.resolve({
          stream: new ReadableStream({
            start(controller) {
              controller.enqueue({ type: 'text-delta', id: '0', delta: 'Hello.' });
              controller.enqueue({
                type: 'finish',
                finishReason: { unified: 'stop', raw: 'stop' },
                usage: noUsage,
              });
              controller.close();
            },
          }),
        }),
    };
    const ours = createAiSdkModel(model);
    expect(ours.name).toBe('test:m');
    expect(await collectModelReply(ours)).toEqual({
      type: 'reply',
      text: 'Hello.',
      calls: [],
      response: { finishReason: 'stop' },
    });
  });

  it('with another version is rejected', () => {
    const old = { ...baseModel, specificationVersion: 'v2' } as unknown as LanguageModelV3;
    expect(() => createAiSdkModel(old)).toThrow('version v2');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('No.');
      },
    ],
    ['rejects', () => Promise.reject(new Error('No.'))],
    [
      'has a stream that fails',
      () =>
        Promise.resolve({
          stream: new ReadableStream<TestStreamPart>({ start: (to) => to.error(new Error('No.')) }),
        }),
    ],
  ])('that %s causes a failure', async (_, doStream) => {
    const error = await collectModelFailure(createTestModel(doStream));
    expect(error).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('Provider message: No.') as string,
    });
  });

  it('is abandoned when it ignores the abort signal', async () => {
    const { promise, resolve } = Promise.withResolvers<{ stream: ReadableStream<TestStreamPart> }>();
    const cancelled = Promise.withResolvers<void>();
    const abort = new AbortController();
    const failed = collectModelFailure(
      createTestModel(() => promise),
      createTextRequest('Hello?'),
      abort.signal,
    );
    abort.abort();
    expect(await failed).toMatchObject({ retryable: false });
    // What comes after that is not left open.
    resolve({ stream: new ReadableStream<TestStreamPart>({ cancel: () => cancelled.resolve() }) });
    await cancelled.promise;
  });

  it('is cancelled when the consumer stops, even if its stream ignores it', async () => {
    const cancelled = Promise.withResolvers<void>();
    const model = createTestModel(({ abortSignal }) => {
      abortSignal?.addEventListener('abort', () => cancelled.resolve());
      return Promise.resolve({
        stream: ReadableStream.from([createTextDelta('Hel'), createTextDelta('lo.')]),
      });
    });
    for await (const chunk of model.stream(createTextRequest('Hello?'), new AbortController().signal)) {
      if (chunk.type === 'text') break;
    }
    await cancelled.promise;
  });

  it('is also abandoned in the middle of a stream', async () => {
    const stream = new ReadableStream<TestStreamPart>({ start: (to) => to.enqueue(createTextDelta('Hel')) });
    const model = createTestModel(() => Promise.resolve({ stream }), { limits: { idleMs: 20 } });
    expect(await collectModelFailure(model)).toMatchObject({ kind: 'timeout' });
  });

  it('is not idle while its output is processed', async () => {
    const model = createStreamingModel([createTextDelta('Hel'), createTextDelta('lo.'), stopPart], {
      limits: { idleMs: 20 },
    });
    const ends: string[] = [];
    for await (const chunk of model.stream(createTextRequest('Hello?'), new AbortController().signal)) {
      if (chunk.type === 'text') await new Promise((resolve) => setTimeout(resolve, 60));
      else ends.push(chunk.type);
    }
    expect(ends).toEqual(['reply']);
  });

  it('that sends an empty reply gets feedback if tools are offered, and fails otherwise', async () => {
    expect(await collectModelReply(createStreamingModel([stopPart]))).toMatchObject({
      calls: [],
      problem: expect.stringContaining('it contains no action, state or answer') as string,
    });
    expect(
      await collectModelFailure(createStreamingModel([stopPart]), createTextRequest('And?', { tools: [] })),
    ).toMatchObject({ kind: 'unknown' });
  });

  it('has reasoning blocks removed from its text', async () => {
    const parts = ['\n<th', 'ink>I am ', 'asked </thi', 'nk>\n\nHel', 'lo.'].map(createTextDelta);
    const { text, last } = await collectModelStream(createStreamingModel([...parts, stopPart]));
    expect(text).toBe('Hello.');
    expect(last).toMatchObject({ text: 'Hello.' });
  });

  it('that never closes a reasoning block has it treated as text', async () => {
    const { last } = await collectModelStream(
      createStreamingModel([createTextDelta('<think>Hel'), createTextDelta('lo.'), stopPart]),
    );
    expect(last).toMatchObject({ type: 'reply', text: '<think>Hello.' });
  });

  it('does not have an incomplete call executed at the length limit', async () => {
    const cut: TestStreamPart = {
      type: 'finish',
      finishReason: { unified: 'length', raw: 'length' },
      usage: noUsage,
    };
    for (const input of ['{"path": "a.m', '{}', '']) {
      const calls: readonly TestStreamPart[] = [
        { type: 'tool-call', toolCallId: 'a', toolName: 'read', input },
      ];
      expect(await collectModelFailure(createStreamingModel([...calls, cut]))).toMatchObject({
        kind: 'truncated',
        retryable: false,
      });
    }
  });

  it('that fills its context window while replying fails with an overflow', async () => {
    const finishReason = { unified: 'length', raw: 'model_context_window_exceeded' } as const;
    const full: TestStreamPart = { type: 'finish', finishReason, usage: noUsage };
    expect(await collectModelFailure(createStreamingModel([createTextDelta('And'), full]))).toMatchObject({
      kind: 'context-overflow',
    });
  });

  it('has provider-executed calls ignored', async () => {
    const call: TestStreamPart = {
      type: 'tool-call',
      toolCallId: 'a',
      toolName: 'web',
      input: '{}',
      providerExecuted: true,
    };
    expect(
      (await collectModelReply(createStreamingModel([call, createTextDelta('Hello.'), stopPart]))).calls,
    ).toEqual([]);
  });

  it('counts arguments toward the reply size', async () => {
    const call: TestStreamPart = {
      type: 'tool-call',
      toolCallId: 'a',
      toolName: 'read',
      input: JSON.stringify({ path: 'x'.repeat(2_000) }),
    };
    const model = createStreamingModel([call, stopPart], { limits: { replyBytesMax: 1_000 } });
    expect(await collectModelFailure(model)).toMatchObject({ kind: 'truncated' });
  });
});

describe('the reasoning filter', () => {
  it('passes the same text however it is split into chunks', () => {
    const piece = fc.constantFrom(
      '<think>',
      '</think>',
      '<thinking>',
      '</thinking>',
      '<',
      'a ',
      '\n',
      'THINK>',
      '</',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), fc.array(fc.nat(40)), (pieces, cuts) => {
        const text = pieces.join('');
        const whole = createThinkFilter();
        const cut = createThinkFilter();
        const places = [0, ...cuts.map((at) => Math.min(at, text.length)), text.length].toSorted(
          (a, b) => a - b,
        );
        const shown = places.slice(1).map((end, index) => cut.push(text.slice(places[index], end)));
        // White space after a block goes with it only as far as it has come by then.
        expect(shown.join('').trimStart()).toBe(whole.push(text).trimStart());
      }),
    );
  });
});

describe('the usage of a reply', () => {
  it('is never negative and counts no more cached tokens than input tokens', () => {
    const prices = { inputPerMillion: 1_000_000, outputPerMillion: 2_000_000, cachedInputPerMillion: 0 };
    expect(computeUsage({ input: 5, cachedInput: 9, output: Number.NaN }, prices)).toEqual({
      inputTokens: 5,
      outputTokens: 0,
      cost: 0,
    });
    expect(computeUsage({ input: -3, cachedInput: undefined, output: 4 }, prices)).toEqual({
      inputTokens: 0,
      outputTokens: 4,
      cost: 8,
    });
    expect(computeUsage({ input: undefined, cachedInput: 1, output: undefined }, prices)).toBeNull();
  });
});

function arbitraryPart(): fc.Arbitrary<TestStreamPart> {
  const id = fc.constantFrom('0', '1');
  const unified = fc.constantFrom(
    'stop',
    'length',
    'content-filter',
    'tool-calls',
    'error',
    'interrupted',
    'other' as const,
  );
  const input = fc.oneof(fc.json(), fc.string(), fc.constantFrom('{"path":"a"}', '{"path', ''));
  return fc.oneof(
    fc.record({ type: fc.constant('text-delta' as const), id, delta: fc.string() }),
    fc.record({ type: fc.constant('reasoning-delta' as const), id, delta: fc.string() }),
    fc.record({ type: fc.constant('tool-input-start' as const), id, toolName: fc.string() }),
    fc.record({ type: fc.constant('tool-input-delta' as const), id, delta: fc.string() }),
    fc.record({
      type: fc.constant('tool-call' as const),
      toolCallId: fc.string(),
      toolName: fc.string(),
      input,
    }),
    fc.record({ type: fc.constant('error' as const), error: fc.anything() }),
    unified.map(
      (reason): TestStreamPart =>
        ({ ...stopPart, finishReason: { unified: reason, raw: reason } }) as TestStreamPart,
    ),
  );
}
