import { describe, expect, it } from 'vitest';
import { isTerminalMode } from '../../src/modes/transition-mode.ts';
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

describe('an invalid transition', () => {
  it.each([
    ['refuse', 'open', true],
    ['ignore', 'open', false],
    [{ resetTo: 'shut' }, 'shut', true],
  ] as const)('is handled with %j: one result, and nothing is thrown [RX-03]', (onInvalid, state, isTold) => {
    const chart = createDoorChart(onInvalid);
    for (const payload of [
      createMoveRequest('open'),
      createMoveRequest('ajar'),
      createStateRequest('open'),
      createStateRequest('ajar'),
      createToolReply('kick'),
    ]) {
      const { ok, mode, error } = applyModePayload(chart, createModeInState(chart, 'open'), payload);
      expect([ok, mode.state]).toEqual([false, state]);
      expect(error).toMatch(/open/);
      expect(mode.refusal).toBe(isTold ? error : null);
    }
  });

  it('does not leave a terminal state, whatever the policy [RX-04]', () => {
    const chart = createDoorChart({ resetTo: 'shut' });
    const broken = createModeInState(chart, 'broken');
    for (const payload of [
      createMoveRequest('shut'),
      createStateRequest('ajar'),
      createToolReply('turn'),
      textReply,
    ])
      expect(applyModePayload(chart, broken, payload)).toMatchObject({
        ok: false,
        mode: broken,
        changes: [],
      });
    expect(applyModePayload(chart, broken, tickPayload).ok).toBe(true);
  });

  it('is reported to the model until the next valid transition', () => {
    const chart = createDoorChart('refuse');
    const invalid = applyModePayload(chart, startMode(chart, 0), createToolReply('kick')).mode;
    expect(invalid.refusal).toBe('kick cannot be used in shut: it allows turn and is followed by open');
    expect(applyModePayload(chart, invalid, tickPayload).mode.refusal).toBe(invalid.refusal);
    expect(applyModePayload(chart, invalid, createToolReply('turn')).mode).toMatchObject({
      refusal: null,
      failures: 1,
    });
  });
});

describe('the counters of a state', () => {
  const chart = createDoorChart({ resetTo: 'shut' });

  it('restart in the next state', () => {
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

  it('continue when an invalid transition leads back to the same state', () => {
    const { mode } = walkModeChart(chart, [
      tickPayload,
      createStateRequest('ajar'),
      tickPayload,
      createStateRequest('ajar'),
    ]);
    expect(mode).toMatchObject({ state: 'shut', steps: 2, failures: 2, enteredAt: 0 });
    expect(mode.history).toHaveLength(2);
  });

  it('start at a valid time', () => {
    expect(startMode(chart, Number.NaN).enteredAt).toBe(0);
    expect(
      applyModePayload(chart, startMode(chart, 5), createMoveRequest('open'), Number.NaN).mode.enteredAt,
    ).toBe(5);
  });
});

describe('several actions of one reply', () => {
  it('run except for unknown ones, unless the chart allows one at a time', () => {
    const chart = defineChart({
      name: 'hands',
      initial: 'idle',
      transitions: { by: 'reply', otherwise: 'idle', afterAction: 'idle', afterFailure: 'dropped' },
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

describe('an empty reply', () => {
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

describe('text next to a call', () => {
  it('changes nothing if it does not lead to a mode for the call', () => {
    const chart = defineChart({
      name: 'two',
      initial: 'a',
      states: [
        { name: 'a', tools: ['x'], next: ['b'], afterText: 'b' },
        { name: 'b', tools: ['y'], next: ['a'] },
      ],
    });
    const reply = { ...textReply, tools: ['x', 'y'] } as typeof textReply;
    expect(applyModePayload(chart, startMode(chart, 0), reply)).toMatchObject({
      changes: [],
      refused: ['y'],
    });
  });
});

describe('paging', () => {
  it('is rejected in a chart without it, or when none is in progress', () => {
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

describe('the loop chart', () => {
  const { loop } = modeCharts;

  it('has one mode that allows every tool, and no limit', () => {
    const payloads = [
      createToolReply('read', 'write'),
      textReply,
      tickPayload,
      createStateRequest('working'),
      createToolReply('finish'),
    ];
    const { mode, transitions, moves } = walkModeChart(loop, payloads);
    expect([mode.state, moves, transitions.every(({ ok }) => ok)]).toEqual(['working', [], true]);
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

  it('each declare their terminal states [RX-04]', () => {
    const ends = Object.values<ModeChart>(modeCharts).map((chart) =>
      chart.states
        .map(({ name }) => name)
        .filter((name) => isTerminalMode(chart, createModeInState(chart, name))),
    );
    expect(ends).toEqual([['FINISHING'], [], [], []]);
  });
});
