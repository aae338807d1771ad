import { describe, expect, it } from 'vitest';
import { isTerminalMode } from '../../src/modes/mode-tools.ts';
import { findModeChart, modeCharts } from '../../src/modes/charts/built-in.ts';
import { defineChart } from '../../src/modes/define-chart.ts';
import { startMode } from '../../src/modes/mode.ts';
import type { ModeChart } from '../../src/modes/mode-chart.ts';
import {
  createStateRequest,
  createModeInState,
  createMoveRequest,
  createToolReply,
  textReply,
  applyModePayload,
  tickPayload,
  walkModeChart,
} from './walk-mode-chart.ts';

function createDoorChart(onInvalid: ModeChart<'shut' | 'open' | 'broken'>['onInvalid']) {
  return defineChart({
    name: 'door',
    initial: 'shut',
    onInvalid,
    states: [
      { name: 'shut', tools: ['turn'], next: ['open'] },
      { name: 'open', tools: ['push'], next: ['shut', 'broken'] },
      { name: 'broken', terminal: true },
    ],
  });
}

describe('a move that the chart does not have', () => {
  it.each([
    ['refuse', 'open', true],
    ['ignore', 'open', false],
    [{ resetTo: 'shut' }, 'shut', true],
  ] as const)('is met with %j: one result, and nothing is thrown [RX-03]', (onInvalid, state, isTold) => {
    const chart = createDoorChart(onInvalid);
    for (const fact of [
      createMoveRequest('open'),
      createMoveRequest('ajar'),
      createStateRequest('open'),
      createStateRequest('ajar'),
      createToolReply('kick'),
    ]) {
      const { ok, mode, error } = applyModePayload(chart, createModeInState(chart, 'open'), fact);
      expect([ok, mode.state]).toEqual([false, state]);
      expect(error).toMatch(/open/);
      expect(mode.refusal).toBe(isTold ? error : null);
    }
  });

  it('does not lead out of the end, whatever the policy [RX-04]', () => {
    const chart = createDoorChart({ resetTo: 'shut' });
    const broken = createModeInState(chart, 'broken');
    for (const fact of [
      createMoveRequest('shut'),
      createStateRequest('ajar'),
      createToolReply('turn'),
      textReply,
    ])
      expect(applyModePayload(chart, broken, fact)).toMatchObject({ ok: false, mode: broken, changes: [] });
    expect(applyModePayload(chart, broken, tickPayload).ok).toBe(true);
  });

  it('is told to the model until it does something right', () => {
    const chart = createDoorChart('refuse');
    const wrong = applyModePayload(chart, startMode(chart, 0), createToolReply('kick')).mode;
    expect(wrong.refusal).toBe('kick cannot be used in shut: it allows turn and is followed by open');
    expect(applyModePayload(chart, wrong, tickPayload).mode.refusal).toBe(wrong.refusal);
    expect(applyModePayload(chart, wrong, createToolReply('turn')).mode).toMatchObject({
      refusal: null,
      failures: 1,
    });
  });
});

describe('what is counted in a state', () => {
  const chart = createDoorChart({ resetTo: 'shut' });

  it('starts anew in the next one', () => {
    const { mode } = walkModeChart(chart, [
      tickPayload,
      { type: 'results-in', ok: false, reason: null },
      tickPayload,
    ]);
    expect(mode).toMatchObject({ steps: 2, failures: 1, enteredAt: 0 });
    expect(applyModePayload(chart, mode, createMoveRequest('open'), 9).mode).toMatchObject({
      steps: 0,
      failures: 0,
      enteredAt: 9,
    });
  });

  it('goes on when a wrong move leads back to the same one', () => {
    const { mode } = walkModeChart(chart, [
      tickPayload,
      createStateRequest('ajar'),
      tickPayload,
      createStateRequest('ajar'),
    ]);
    expect(mode).toMatchObject({ state: 'shut', steps: 2, failures: 2, enteredAt: 0 });
    expect(mode.history).toHaveLength(2);
  });

  it('begins at a time that is one', () => {
    expect(startMode(chart, Number.NaN).enteredAt).toBe(0);
    expect(
      applyModePayload(chart, startMode(chart, 5), createMoveRequest('open'), Number.NaN).mode.enteredAt,
    ).toBe(5);
  });
});

describe('several actions of one reply', () => {
  it('go ahead but for those that are none, unless the chart wants one at a time', () => {
    const chart = defineChart({
      name: 'hands',
      initial: 'idle',
      hops: { by: 'reply', otherwise: 'idle', afterAction: 'idle', afterFailure: 'dropped' },
      states: [
        { name: 'idle', tools: ['lift', 'carry'], next: ['idle', 'dropped'] },
        { name: 'dropped', next: ['idle', 'dropped'] },
      ],
    });
    const start = startMode(chart, 0);
    expect(applyModePayload(chart, start, createToolReply('lift', 'carry'))).toMatchObject({
      ok: true,
      refused: [],
    });
    expect(applyModePayload(chart, start, createToolReply('lift', 'fly'))).toMatchObject({
      ok: false,
      refused: ['fly'],
      changes: [],
      mode: { state: 'idle', refusal: 'there is no action "fly"' },
    });
    expect(applyModePayload(chart, start, createToolReply('fly')).mode.state).toBe('dropped');
  });
});

describe('a reply of nothing at all', () => {
  it('changes nothing', () => {
    const { savant } = modeCharts;
    const searching = createModeInState(savant, 'SEARCHING');
    expect(applyModePayload(savant, searching, createStateRequest(null))).toMatchObject({
      ok: true,
      mode: searching,
      changes: [],
    });
  });
});

describe('words beside a call', () => {
  it('change nothing where they do not help', () => {
    const chart = defineChart({
      name: 'two',
      initial: 'a',
      states: [
        { name: 'a', tools: ['x'], next: ['b'], afterWords: 'b' },
        { name: 'b', tools: ['y'], next: ['a'] },
      ],
    });
    const reply = { ...textReply, tools: ['x', 'y'] } as typeof textReply;
    expect(applyModePayload(chart, startMode(chart, 0), reply)).toMatchObject({ changes: [], refused: ['y'] });
  });
});

describe('paging', () => {
  it('means nothing to a chart without it, or when none is under way', () => {
    const chart = createDoorChart('refuse');
    expect(applyModePayload(chart, startMode(chart, 0), { type: 'paging-needed' }).error).toBe(
      'door has no state for paging',
    );
    const { lkj } = modeCharts;
    expect(applyModePayload(lkj, startMode(lkj, 0), { type: 'paging-done' })).toMatchObject({
      ok: false,
      changes: [],
    });
  });
});

describe('the loop', () => {
  const { loop } = modeCharts;

  it('has one mode in which everything is allowed, and no limit', () => {
    const facts = [
      createToolReply('read', 'write'),
      textReply,
      tickPayload,
      createStateRequest('working'),
      createToolReply('finish'),
    ];
    const { mode, hops, moves } = walkModeChart(loop, facts);
    expect([mode.state, moves, hops.every(({ ok }) => ok)]).toEqual(['working', [], true]);
    expect(loop.maxIterations).toBeNull();
    expect(applyModePayload(loop, mode, { type: 'finish-asked', cause: 'x' }).error).toBe(
      'loop has no state to finish in',
    );
  });
});

describe('the built-in charts', () => {
  it('are found by name', () => {
    expect(findModeChart('lkj1')).toBe(modeCharts.lkj1);
    expect(findModeChart('toString')).toBeUndefined();
  });

  it('each say which states are the end [RX-04]', () => {
    const ends = Object.values<ModeChart>(modeCharts).map((chart) =>
      chart.states
        .map(({ name }) => name)
        .filter((name) => isTerminalMode(chart, createModeInState(chart, name))),
    );
    expect(ends).toEqual([['FINISHING'], [], [], []]);
  });
});
