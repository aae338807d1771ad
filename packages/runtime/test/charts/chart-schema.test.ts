import { modeCharts, ChartError, type ModeChart } from '@pawl/core/modes';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChart } from '../../src/charts/chart-schema.ts';
import {
  anyModeChart,
  createChartInput,
  createChartWithState,
} from '../../../core/test/modes/sample-charts.ts';

function catchChartError(value: unknown): ChartError {
  try {
    parseChart(value);
  } catch (error) {
    if (error instanceof ChartError) return error;
    throw error;
  }
  throw new Error('the chart was taken');
}

describe('parseChart', () => {
  it.each(Object.entries<ModeChart>(modeCharts))('reads the chart %s unchanged', (_, chart) => {
    expect(parseChart(JSON.parse(JSON.stringify(chart)))).toEqual(chart);
  });

  it('is unchanged by repeated parsing', () => {
    fc.assert(
      fc.property(anyModeChart, (chart) => {
        expect(parseChart(JSON.parse(JSON.stringify(chart)))).toEqual(chart);
      }),
    );
  });

  it('allows a reference to the schema, which is not part of the chart', () => {
    const input = createChartInput({ $schema: './chart.schema.json' });
    expect(parseChart(input)).toEqual(parseChart(createChartInput({})));
  });

  it('reports a circular structure', () => {
    const states: unknown[] = [];
    states.push({ name: 'a', next: states });
    expect(catchChartError(createChartInput({ states })).message).toContain('at states[0].next');
  });

  it.each([
    [null, 'The chart: expected an object, got null.'],
    [[], 'The chart: expected an object, got an array.'],
    [{}, 'The chart, at name: missing; expected a string.'],
    [createChartInput({ states: [] }), 'The chart, at states: expected at least 1 item, got an array.'],
    [
      createChartInput({ colour: 'red' }),
      'The chart, at colour: unknown key "colour"; the keys are name, initial, states, transitions,',
    ],
    [JSON.parse('{"name":"x","__proto__":{}}'), 'The chart, at __proto__: unknown key "__proto__".'],
    [
      createChartWithState(0, { color: 1 }),
      'The chart, at states[0].color: unknown key "color"; the keys are name, aliases,',
    ],
    [createChartWithState(0, { name: ' a' }), 'The chart, at states[0].name: expected a name'],
    [createChartWithState(0, { name: 'a\nb' }), 'The chart, at states[0].name: expected a name'],
    [createChartWithState(0, { name: '\uD800' }), 'The chart, at states[0].name: expected a name'],
    [createChartWithState(0, { name: 'x'.repeat(65) }), 'The chart, at states[0].name: expected a name'],
    [createChartWithState(0, { next: 'b' }), 'The chart, at states[0].next: expected an array, got "b".'],
    [
      createChartWithState(0, { next: ['b', 'b'] }),
      'The chart, at states[0].next: expected a list of unique names.',
    ],
    [
      createChartWithState(0, { tools: 'read' }),
      'The chart, at states[0].tools: expected a list of tool names, or "*" for any tool.',
    ],
    [
      createChartWithState(0, { timeoutMs: 0 }),
      'The chart, at states[0].timeoutMs: expected at least 1, got 0.',
    ],
    [
      createChartWithState(0, { timeoutMs: Number.NaN }),
      'The chart, at states[0].timeoutMs: expected a number, got NaN.',
    ],
    [createChartWithState(0, { timeoutMs: '60s' }), 'expected a number, got "60s".'],
    [
      createChartWithState(0, { stuckAfterSteps: 1.5 }),
      'The chart, at states[0].stuckAfterSteps: expected a whole number, got 1.5.',
    ],
    [
      createChartWithState(0, { stuckAfterFailures: -1 }),
      'The chart, at states[0].stuckAfterFailures: expected at least 1, got -1.',
    ],
    [
      createChartWithState(0, { terminal: 'yes' }),
      'The chart, at states[0].terminal: expected a boolean, got "yes".',
    ],
    [
      createChartWithState(0, { prompt: 'x'.repeat(20_001) }),
      'The chart, at states[0].prompt: expected at most 20000 characters',
    ],
    [
      createChartInput({ transitions: { by: 'dice' } }),
      'The chart, at transitions.by: expected one of "tool", "reply", got "dice".',
    ],
    [
      createChartInput({ transitions: { by: 'reply' } }),
      'The chart, at transitions.otherwise: missing; expected a string.',
    ],
    [
      createChartInput({ transitions: { by: 'tool', otherwise: 'a' } }),
      'The chart, at transitions.otherwise: unknown key "otherwise"; the keys are by.',
    ],
    [
      createChartInput({ onInvalid: 'shout' }),
      'The chart, at onInvalid: expected one of "refuse", "ignore", got "shout".',
    ],
    [
      createChartInput({ finish: { tools: [], state: 'end' } }),
      'The chart, at finish.tools: expected at least 1 item, got an array.',
    ],
  ])('must have a valid shape: %#', (value, message) => {
    expect(catchChartError(value).message).toContain(message);
  });

  it('reads only own properties', () => {
    const inherited = Object.assign(Object.create({ initial: 'a' }), {
      ...createChartInput({}),
      initial: undefined,
    });
    delete inherited.initial;
    expect(catchChartError(inherited).message).toContain(
      'The chart, at initial: missing; expected a string.',
    );
  });

  it('is accepted or rejected with one error, for any input', () => {
    const anyState = fc.record(
      {
        name: fc.constantFrom('a', 'b', 'c', 1),
        next: fc.oneof(fc.subarray(['a', 'b', 'c', 'z']), fc.jsonValue()),
        tools: fc.oneof(fc.constant('*'), fc.jsonValue()),
        terminal: fc.boolean(),
        stuckState: fc.constantFrom('a', 'b', null),
      },
      { requiredKeys: ['name'] },
    );
    const anyChart = fc.record(
      {
        name: fc.oneof(fc.string(), fc.jsonValue()),
        initial: fc.constantFrom('a', 'b', 'z'),
        states: fc.oneof(fc.array(anyState, { maxLength: 4 }), fc.jsonValue()),
        transitions: fc.jsonValue(),
        finish: fc.jsonValue(),
        paging: fc.jsonValue(),
        onInvalid: fc.jsonValue(),
      },
      { requiredKeys: ['name', 'initial', 'states'] },
    );
    fc.assert(
      fc.property(fc.oneof(anyChart, fc.jsonValue(), fc.anything()), (value) => {
        try {
          parseChart(value);
        } catch (error) {
          expect(error).toBeInstanceOf(ChartError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('may have the names of an older release', () => {
    const state = { name: 'a', tools: '*', next: ['a', 'b'] };
    const last = { name: 'b', terminal: true };
    const policy = { by: 'tool' };
    const current = {
      name: 'x',
      initial: 'a',
      states: [{ ...state, afterText: 'b' }, last],
      transitions: policy,
    };
    const old = { name: 'x', initial: 'a', states: [{ ...state, afterWords: 'b' }, last], hops: policy };
    expect(parseChart(old)).toEqual(parseChart(current));
    expect(() => parseChart({ ...current, hops: policy })).toThrow('unknown key "hops"');
    const both = { ...state, afterText: 'b', afterWords: 'b' };
    expect(() => parseChart({ ...current, states: [both, last] })).toThrow('unknown key "afterWords"');
  });
});
