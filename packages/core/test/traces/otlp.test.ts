import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { otlp } from '../../src/traces/otlp.ts';
import { bare, outcomes, readOne } from './read.ts';
import { otlpSample } from './samples-of-benchmarks.ts';

type Values = Readonly<Record<string, string | number | readonly string[]>>;

function span(trace: string, at: number, values: Values, code = 0): Json {
  const attributes = Object.entries(values).map(([key, value]) => ({ key, value: valueOf(value) }));
  return {
    traceId: trace,
    startTimeUnixNano: `${1_772_359_200 + at}000000000`,
    attributes,
    status: { code },
  } as Json;
}

function valueOf(value: string | number | readonly string[]): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { intValue: value };
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
}

function request(...spans: readonly Json[]): Json {
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

const tool = (at: number, values: Values, code = 0): Json =>
  span('t', at, { 'gen_ai.operation.name': 'execute_tool', ...values }, code);

function asked(...texts: readonly string[]): string {
  return JSON.stringify(texts.map((content) => ({ role: 'user', parts: [{ type: 'text', content }] })));
}

function chat(at: number, input: string): Json {
  const messages = { 'gen_ai.input.messages': input, 'gen_ai.output.messages': '[]' };
  return span('t', at, { 'gen_ai.operation.name': 'chat', ...messages });
}

describe('spans of OpenTelemetry', () => {
  it('cost what each reply says, and know when it began', () => {
    const run = readOne(otlp, otlpSample);
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
    const run = readOne(
      otlp,
      request(span('t', 1, reply), tool(2, { 'gen_ai.tool.name': 'look', 'gen_ai.tool.call.id': 'c1' }, 2)),
    );
    expect(run.steps).toMatchObject([{ tool: 'look', error: true, tokens: 9 }]);
  });

  it('of tools hold arguments and results as text or as values', () => {
    const run = readOne(
      otlp,
      request(
        tool(1, {
          'gen_ai.tool.name': 'look',
          'gen_ai.tool.call.arguments': '{"city":"Ghent"}',
          'gen_ai.tool.call.result': 'rain',
        }),
      ),
    );
    expect(bare(run.steps)).toEqual([
      { i: 0, role: 'assistant', tool: 'look', args: { city: 'Ghent' }, result: 'rain', error: false },
    ]);
  });

  it('belong to a conversation where one is named, and else to their trace', () => {
    const named = { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': 'talk' };
    const document = request(
      span('a', 1, named),
      span('a', 2, { 'gen_ai.operation.name': 'chat' }),
      span('b', 3, named),
      span('c', 4, { 'gen_ai.operation.name': 'chat' }),
    );
    const { runs } = otlp.parse(document, 'name');
    expect(runs.map(({ id, steps }) => [id, steps.length])).toEqual([
      ['talk', 3],
      ['c', 1],
    ]);
  });

  it('of one trace may come in many documents', () => {
    const lines = [
      request(tool(2, { 'gen_ai.tool.name': 'second' })),
      request(tool(1, { 'gen_ai.tool.name': 'first' })),
    ];
    expect(outcomes(readOne(otlp, lines)).map((outcome) => Object(outcome)[0])).toEqual(['first', 'second']);
  });

  it('tell the user’s words once, although each request repeats them', () => {
    const run = readOne(
      otlp,
      request(chat(1, asked('go')), chat(2, asked('go', 'on')), chat(3, asked('go', 'on', 'on'))),
    );
    expect(run.steps.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
      'go',
      'on',
      'on',
    ]);
  });

  it('that have nothing to do with models are no run', () => {
    const { runs, problems } = otlp.parse(request(span('t', 1, { 'http.route': '/' })), 'name');
    expect(runs).toEqual([]);
    expect(problems).toEqual([{ where: '', problem: 'no span with gen_ai attributes' }]);
  });
});
