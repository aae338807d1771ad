import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChartError, defineChart, type ModeChartInput } from '../../src/modes/define-chart.ts';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import { startMode } from '../../src/modes/mode.ts';
import type { ModeChart } from '../../src/modes/mode-chart.ts';
import { anyModeChart, createChartInput, createChartWithState, hostileModeNames } from './sample-charts.ts';
import { createToolReply, textReply, walkModeChart } from './walk-mode-chart.ts';

function catchChartError(value: unknown): ChartError {
  try {
    defineChart(value as ModeChartInput<string>);
  } catch (error) {
    if (error instanceof ChartError) return error;
    throw error;
  }
  throw new Error('the chart was taken');
}

/** The states that the model may not choose. */
function listReservedStates({ states }: ModeChart): readonly string[] {
  return states.filter(({ selectable }) => !selectable).map(({ name }) => name);
}

/** The states that these facts lead to. */
function listModePath(chart: ModeChart, ...payloads: Parameters<typeof walkModeChart>[1]): readonly string[] {
  return walkModeChart(chart, payloads).moves.map(({ to }) => to);
}

describe('defineChart', () => {
  it('infers the names of the states, and does not compile with another', () => {
    const chart = defineChart({ name: 'x', initial: 'one', states: [{ name: 'one', next: ['one'] }] });
    const initial: 'one' = chart.initial;
    expect(initial).toBe('one');
    const invalid = [
      // @ts-expect-error: there is no such state to begin in
      () => defineChart({ name: 'x', initial: 'two', states: [{ name: 'one', next: ['one'] }] }),
      // @ts-expect-error: there is no such state to go to
      () => defineChart({ name: 'x', initial: 'one', states: [{ name: 'one', next: ['two'] }] }),
      () =>
        defineChart({
          name: 'x',
          initial: 'one',
          // @ts-expect-error: there is no such state to fall to
          states: [{ name: 'one', next: ['one'], stuckState: 'two' }],
        }),
      () =>
        defineChart({
          name: 'x',
          initial: 'one',
          states: [{ name: 'one', next: ['one'] }],
          // @ts-expect-error: there is no such state to reset to
          onInvalid: { resetTo: 'two' },
        }),
    ];
    for (const define of invalid) expect(define).toThrow(ChartError);
  });

  it('fills in defaults', () => {
    expect(defineChart({ name: 'x', initial: 'one', states: [{ name: 'one', next: ['one'] }] })).toEqual({
      name: 'x',
      initial: 'one',
      states: [
        {
          name: 'one',
          aliases: [],
          tools: [],
          next: ['one'],
          afterText: null,
          stuckState: null,
          timeoutMs: null,
          stuckAfterSteps: null,
          stuckAfterFailures: null,
          selectable: true,
          terminal: false,
          prompt: '',
        },
      ],
      transitions: { by: 'tool' },
      onInvalid: 'refuse',
      finish: null,
      paging: null,
      oneAction: false,
      maxIterations: null,
      prompt: '',
    });
  });

  it('makes stuck states and the paging state unselectable', () => {
    const { savant, lkj } = modeCharts;
    expect(listReservedStates(savant)).toEqual(['STUCK_SEARCH', 'STUCK_ANALYZE', 'STUCK_DECIDE']);
    expect(listReservedStates(lkj)).toEqual(['paging']);
  });

  it('defines charts for code review, for mathematics and for search [SAV-56]', () => {
    const review = defineChart({
      name: 'code review',
      initial: 'reading',
      finish: { tools: ['submit'], state: 'done' },
      states: [
        { name: 'reading', tools: ['read_diff'], next: ['judging'], afterText: 'judging' },
        { name: 'judging', tools: ['comment'], next: ['reading', 'done'] },
        { name: 'done', terminal: true },
      ],
    });
    const mathematics = defineChart({
      name: 'mathematics',
      initial: 'conjecturing',
      finish: { tools: ['qed'], state: 'proved' },
      states: [
        { name: 'conjecturing', tools: ['compute'], next: ['proving'] },
        { name: 'proving', tools: ['lemma', 'check'], next: ['conjecturing', 'proved'] },
        { name: 'proved', terminal: true },
      ],
    });
    expect(
      listModePath(
        review,
        createToolReply('read_diff'),
        textReply,
        createToolReply('comment'),
        createToolReply('submit'),
      ),
    ).toEqual(['judging', 'done']);
    expect(
      listModePath(
        mathematics,
        createToolReply('compute'),
        createToolReply('lemma'),
        createToolReply('compute'),
        createToolReply('check'),
        createToolReply('qed'),
      ),
    ).toEqual(['proving', 'conjecturing', 'proving', 'proved']);
    expect(
      listModePath(
        modeCharts.savant,
        createToolReply('context.fts_search'),
        textReply,
        createToolReply('finish'),
      ),
    ).toEqual(['SEARCHING', 'ANALYZING', 'FINISHING']);
  });
});

describe('a chart', () => {
  it.each(Object.entries<ModeChart>(modeCharts))('is plain JSON: %s', (name, chart) => {
    expect(chart.name).toBe(name);
    expect(defineChart(JSON.parse(JSON.stringify(chart)))).toEqual(chart);
  });

  it('is unchanged when it is defined again', () => {
    fc.assert(
      fc.property(anyModeChart, (chart) => {
        expect(defineChart(JSON.parse(JSON.stringify(chart)))).toEqual(chart);
      }),
    );
  });

  it('accepts any names', () => {
    const states = hostileModeNames.map((name, index) => ({
      name,
      next: [hostileModeNames.at(index - 1) ?? ''],
    }));
    const chart = defineChart<string>({ name: '__proto__', initial: '__proto__', states });
    expect(startMode(chart, 0).state).toBe('__proto__');
  });

  it.each([
    [
      createChartWithState(0, { name: ' a' }),
      'The chart, at states[0].name: " a" is not a name of up to 64 characters on one line, without leading',
    ],
    [createChartWithState(0, { name: 'a\nb' }), 'The chart, at states[0].name: "a\\nb" is not a name'],
    [createChartWithState(0, { name: 'x'.repeat(65) }), 'The chart, at states[0].name: '],
    [createChartWithState(0, { aliases: ['y', ''] }), 'The chart, at states[0].aliases[1]: "" is not a name'],
    [createChartInput({ name: '' }), 'The chart, at name: "" is not a name'],
    [
      createChartInput({ maxIterations: 1.5 }),
      'The chart, at maxIterations: a limit is a whole number of at least 1, or null for none, and this is 1.5.',
    ],
    [createChartWithState(1, { timeoutMs: 0 }), 'The chart, at states[1].timeoutMs: a limit is'],
    [createChartWithState(1, { stuckAfterSteps: Number.NaN }), 'at states[1].stuckAfterSteps: a limit is'],
    [createChartWithState(1, { stuckAfterFailures: -1 }), 'at states[1].stuckAfterFailures: a limit is'],
    [
      createChartInput({ initial: 'z' }),
      'The chart, at initial: there is no state "z". The states are a, b, end.',
    ],
    [
      createChartWithState(0, { next: ['z'] }),
      'The chart, at states[0].next[0]: state "a" leads to "z", but there is no state "z". The states are a, b, end.',
    ],
    [
      createChartWithState(0, { stuckState: 'z' }),
      'The chart, at states[0].stuckState: state "a" leads to "z"',
    ],
    [
      createChartWithState(0, { afterText: 'z' }),
      'The chart, at states[0].afterText: state "a" leads to "z"',
    ],
    [
      createChartInput({ onInvalid: { resetTo: 'z' } }),
      'The chart, at onInvalid.resetTo: there is no state "z".',
    ],
    [
      createChartInput({ finish: { tools: ['f'], state: 'z' } }),
      'The chart, at finish.state: there is no state "z".',
    ],
    [
      createChartInput({ paging: { state: 'a', next: 'z' } }),
      'The chart, at paging.next: there is no state "z".',
    ],
    [
      createChartInput({ transitions: { by: 'reply', otherwise: 'a', afterAction: 'z', afterFailure: 'a' } }),
      'The chart, at transitions.afterAction: there is no state "z".',
    ],
    [
      createChartWithState(1, { name: 'a' }),
      'The chart, at states[1]: state "a" uses the name "a", which state "a" already has.',
    ],
    [
      createChartWithState(1, { name: 'A' }),
      'The chart, at states[1]: state "A" uses the name "A", which state "a" already has.',
    ],
    [
      createChartWithState(1, { aliases: ['a'] }),
      'The chart, at states[1]: state "b" uses the name "a", which state "a" already has.',
    ],
    [
      createChartWithState(2, { next: ['a'] }),
      'The chart, at states[2].next: state "end" is terminal, so it cannot have next states. Remove next.',
    ],
    [createChartWithState(2, { tools: '*' }), 'The chart, at states[2].tools: state "end" is terminal'],
    [
      createChartWithState(0, { next: [] }),
      'The chart, at states[0].next: state "a" has no next state. Add one to next, or set terminal to true.',
    ],
    [
      createChartWithState(0, { stuckState: 'end' }),
      'The chart, at states[0].stuckState: state "a" has "end" as its stuckState but not in its next states. Add it there.',
    ],
    [
      createChartWithState(0, { afterText: 'a' }),
      'The chart, at states[0].afterText: state "a" has itself as its afterText. Remove afterText to stay in the state.',
    ],
    [
      createChartWithState(0, { next: ['a'] }),
      'The chart, at states[1]: state "b" is unreachable from "a". Add it to the next states of another state, or remove it.',
    ],
    [
      createChartInput({
        states: [
          { name: 'a', next: ['b', 'end'] },
          { name: 'b', next: ['b'] },
          { name: 'end', terminal: true },
        ],
      }),
      'The chart, at states[1].next: state "b" has no path to a terminal state (end). Add one to its next states.',
    ],
    [
      createChartInput({ finish: { tools: ['f'], state: 'b' } }),
      'The chart, at finish.state: state "b" is not terminal, so it cannot be the finish state. Set terminal to true.',
    ],
    [
      createChartInput({ paging: { state: 'a', next: 'b' } }),
      'The chart, at paging.state: state "a" is the paging state, so it cannot also be the initial state.',
    ],
    [
      createChartInput({ paging: { state: 'b', next: 'b' } }),
      'The chart, at paging.next: state "b" does not have "b" in its next states. Add it there.',
    ],
    [
      { ...createChartWithState(1, { selectable: true }), paging: { state: 'b', next: 'a' } },
      'The chart, at paging.state: state "b" is the paging state, so the model cannot choose it. Remove selectable.',
    ],
    [
      createChartInput({ transitions: { by: 'reply', otherwise: 'b', afterAction: 'b', afterFailure: 'a' } }),
      'The chart, at states[0].next: state "a" must have "a" in its next states, because transitions.afterFailure leads there from every state.',
    ],
  ])('must be consistent: %#', (value, message) => {
    expect(catchChartError(value).message).toContain(message);
  });

  it('may have a state that only an invalid transition leads to', () => {
    const states = [
      { name: 'a', next: ['a'] },
      { name: 'b', next: ['a'] },
    ];
    const chart = defineChart<string>({ name: 'x', initial: 'a', states, onInvalid: { resetTo: 'b' } });
    expect(chart.states).toHaveLength(2);
  });

  it('reports the error location as a path', () => {
    expect(catchChartError(createChartWithState(0, { next: ['z'] })).path).toEqual(['states', 0, 'next', 0]);
    expect(catchChartError(createChartInput({ initial: 'x'.repeat(1e6) })).message.length).toBeLessThan(200);
  });
});
