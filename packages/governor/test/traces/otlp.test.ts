import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { otlpFormat } from '../../src/traces/otlp.ts';
import { omitCostAndTime, listCallOutcomes, parseSingleRun } from './parse-single-run.ts';
import { otlpSample } from './benchmark-samples.ts';

type SpanAttributes = Readonly<Record<string, string | number | readonly string[]>>;

function createSpan(trace: string, at: number, values: SpanAttributes, code = 0): Json {
  const attributes = Object.entries(values).map(([key, value]) => ({ key, value: toAttributeValue(value) }));
  return {
    traceId: trace,
    startTimeUnixNano: `${1_772_359_200 + at}000000000`,
    attributes,
    status: { code },
  } as Json;
}

function toAttributeValue(value: string | number | readonly string[]): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { intValue: value };
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
}

function createOtlpRequest(...spans: readonly Json[]): Json {
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

const createToolSpan = (at: number, values: SpanAttributes, code = 0): Json =>
  createSpan('t', at, { 'gen_ai.operation.name': 'execute_tool', ...values }, code);

function createInputMessages(...texts: readonly string[]): string {
  return JSON.stringify(texts.map((content) => ({ role: 'user', parts: [{ type: 'text', content }] })));
}

function createChatSpan(at: number, input: string): Json {
  const messages = { 'gen_ai.input.messages': input, 'gen_ai.output.messages': '[]' };
  return createSpan('t', at, { 'gen_ai.operation.name': 'chat', ...messages });
}

describe('spans of OpenTelemetry', () => {
  it('have the cost and start time of each reply', () => {
    const run = parseSingleRun(otlpFormat, otlpSample);
    expect(run).toMatchObject({ id: '4bf92f3577b34da6a3ce929d0e0e4736', model: 'model-a' });
    expect(run.steps.map(({ tokens, inputTokens, at }) => [tokens, inputTokens, at])).toEqual([
      [undefined, undefined, 1_772_359_201_000],
      [40, 100, 1_772_359_201_000],
      [0, undefined, 1_772_359_201_000],
      [40, 100, 1_772_359_204_000],
    ]);
  });

  it('without any content still have the calls, and their cost', () => {
    const reply = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.output_tokens': 9,
      'gen_ai.response.finish_reasons': ['tool_calls'],
    };
    const run = parseSingleRun(
      otlpFormat,
      createOtlpRequest(
        createSpan('t', 1, reply),
        createToolSpan(2, { 'gen_ai.tool.name': 'look', 'gen_ai.tool.call.id': 'c1' }, 2),
      ),
    );
    expect(run.steps).toMatchObject([{ tool: 'look', error: true, tokens: 9 }]);
  });

  it('of tools hold arguments and results as text or as values', () => {
    const run = parseSingleRun(
      otlpFormat,
      createOtlpRequest(
        createToolSpan(1, {
          'gen_ai.tool.name': 'look',
          'gen_ai.tool.call.arguments': '{"city":"Ghent"}',
          'gen_ai.tool.call.result': 'rain',
        }),
      ),
    );
    expect(omitCostAndTime(run.steps)).toEqual([
      { i: 0, role: 'assistant', tool: 'look', args: { city: 'Ghent' }, result: 'rain' },
    ]);
  });

  it('belong to a conversation where one is named, and else to their trace', () => {
    const named = { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': 'talk' };
    const document = createOtlpRequest(
      createSpan('a', 1, named),
      createSpan('a', 2, { 'gen_ai.operation.name': 'chat' }),
      createSpan('b', 3, named),
      createSpan('c', 4, { 'gen_ai.operation.name': 'chat' }),
    );
    const { runs } = otlpFormat.parse(document, 'name');
    expect(runs.map(({ id, steps }) => [id, steps.length])).toEqual([
      ['talk', 3],
      ['c', 1],
    ]);
  });

  it('of one trace may come in many documents', () => {
    const lines = [
      createOtlpRequest(createToolSpan(2, { 'gen_ai.tool.name': 'second' })),
      createOtlpRequest(createToolSpan(1, { 'gen_ai.tool.name': 'first' })),
    ];
    expect(listCallOutcomes(parseSingleRun(otlpFormat, lines)).map((outcome) => Object(outcome)[0])).toEqual([
      'first',
      'second',
    ]);
  });

  it('contain user messages once, although each request repeats them', () => {
    const request = createOtlpRequest(
      createChatSpan(1, createInputMessages('go')),
      createChatSpan(2, createInputMessages('go', 'on')),
      createChatSpan(3, createInputMessages('go', 'on', 'on')),
    );
    const [run] = otlpFormat.parse(request, 'name').runs;
    expect(run?.steps.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
      'go',
      'on',
      'on',
    ]);
  });

  it('without model calls are not a run', () => {
    const { runs, problems } = otlpFormat.parse(
      createOtlpRequest(createSpan('t', 1, { 'http.route': '/' })),
      'name',
    );
    expect(runs).toEqual([]);
    expect(problems).toEqual([{ location: '', problem: 'no span with gen_ai attributes' }]);
  });
});
