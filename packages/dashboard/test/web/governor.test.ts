import { describe, expect, it } from 'vitest';
import { selectRules } from '@pawl/core';
import type { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import {
  buildGovernorViewModel,
  getShareSeverity,
  formatMeterPercent,
  type GovernorViewModel,
} from '../../web/views/governor/governor-model.ts';
import {
  createAnswerReply,
  createToolReply,
  createToolEvents,
  goalEvent,
  getProfileOptions,
  stuckRunEvents,
  createTimeline,
  type UntimedEvent,
} from './test-events.ts';

/** By the rules of the session itself. */
function buildOwnGovernorView(track: ReplayedTimeline, at: number, now: number): GovernorViewModel {
  return buildGovernorViewModel(track, at, { now, rules: selectRules(track.created.settings.governor) });
}

const noBudgetLimits = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };

describe('the governor after an event', () => {
  const track = createTimeline(stuckRunEvents);

  it('has the rule that is nearest first, with what it does next', () => {
    const shown = buildOwnGovernorView(track, 7, 7_000);
    expect(shown.rules[0]).toMatchObject({ id: 'repeated-call', count: 2, next: { level: 'advise', at: 3 } });
    expect(shown.rules.length).toBeGreaterThan(15);
    expect(shown.spoke).toBe(0);
  });

  it('counts how often it has spoken by then, and what it said last', () => {
    expect(buildOwnGovernorView(track, 10, 0)).toMatchObject({
      spoke: 1,
      latest: { seq: 10, rule: 'repeated-call', response: 'advise' },
    });
    expect(buildOwnGovernorView(track, track.head, 0).spoke).toBe(2);
    expect(buildOwnGovernorView(track, 9, 0).latest).toBeNull();
  });

  it('says what would end the work first, and how far that is', () => {
    expect(buildOwnGovernorView(track, 10, 0).forcedEnd).toEqual({
      by: 'repeated-call',
      left: '3 of 4 times',
      share: 0.75,
    });
    expect(buildOwnGovernorView(createTimeline([goalEvent]), 1, 0).forcedEnd).toBeNull();
  });

  it('measures what is used against each budget', () => {
    const budgets = { ...noBudgetLimits, modelCalls: 4, tokens: 1_000, wallMs: 10_000 };
    const spent = createTimeline(
      [
        goalEvent,
        createToolReply('read'),
        ...createToolEvents('x'),
        createToolReply('list'),
        ...createToolEvents('y'),
      ],
      {
        settings: { budgets },
      },
    );
    const { meters } = buildOwnGovernorView(spent, 7, 8_000);
    const by = Object.fromEntries(meters.map((meter) => [meter.name, meter]));
    expect(by['model calls']).toMatchObject({ used: '2', max: '4', share: 0.5 });
    expect(by['tokens']?.share).toBeCloseTo(0.22);
    expect(by['time']?.share).toBeCloseTo(0.7);
    expect(by['cost']).toMatchObject({ isFree: true, max: 'no limit' });
    expect(buildOwnGovernorView(spent, 7, 8_000).forcedEnd?.by).toBe('the budget of time');
    expect(buildOwnGovernorView(spent, 2, 2_000).meters[0]?.used).toBe('1');
  });

  it('has the calls that are refused for now', () => {
    const fails: readonly UntimedEvent[] = [
      createToolReply('run', { command: 'make' }),
      { type: 'tool-started', callId: 'c' },
      {
        type: 'tool-finished',
        callId: 'c',
        outcome: { ok: false, error: { kind: 'failed', message: 'boom' } },
      },
    ];
    const run = createTimeline([goalEvent, ...fails, ...fails, ...fails, ...fails]);
    const { refused, forcedEnd } = buildOwnGovernorView(run, run.head, 0);
    expect(refused).not.toHaveLength(0);
    expect(refused).toEqual(run.now.governor.refused);
    expect(forcedEnd).not.toBeNull();
  });

  it('tells the state of a preset that has no rules to list', () => {
    const nexora = createTimeline([goalEvent, createAnswerReply('hi')], getProfileOptions('nexora'));
    const shown = buildOwnGovernorView(nexora, 1, 0);
    expect(shown.rules).toEqual([]);
    expect(shown.machine).not.toBeNull();
    expect(shown.preset).toBe('nexora');
  });
});

it('stays quiet until something is nearly used up', () => {
  expect([0, 0.59, 0.6, 0.89, 0.9, 3].map(getShareSeverity)).toEqual([
    'calm',
    'calm',
    'near',
    'near',
    'full',
    'full',
  ]);
  expect([0, 0.333, 1.2, NaN].map(formatMeterPercent)).toEqual(['0 %', '33 %', '120 %', '0 %']);
});
