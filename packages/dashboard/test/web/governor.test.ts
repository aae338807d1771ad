import { describe, expect, it } from 'vitest';
import { selectRules } from '@pawl/governor/rules';
import { formatMeterPercent, getShareSeverity } from '../../web/app/format.ts';
import type { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import { buildGovernorViewModel, type GovernorViewModel } from '../../web/views/governor/governor-model.ts';
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

/** Uses the session's own rules. */
function buildOwnGovernorView(timeline: ReplayedTimeline, at: number, now: number): GovernorViewModel {
  return buildGovernorViewModel(timeline, at, {
    now,
    rules: selectRules(timeline.created.settings.governor),
  });
}

const noBudgetLimits = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };

describe('the governor after an event', () => {
  const timeline = createTimeline(stuckRunEvents);

  it('lists the rule closest to its next threshold first', () => {
    const shown = buildOwnGovernorView(timeline, 7, 7_000);
    expect(shown.rules[0]).toMatchObject({
      id: 'repeated-call',
      count: 2,
      next: { severity: 'advise', at: 3 },
    });
    expect(shown.rules.length).toBeGreaterThan(15);
    expect(shown.verdictCount).toBe(0);
  });

  it('counts the verdicts so far and shows the latest', () => {
    expect(buildOwnGovernorView(timeline, 10, 0)).toMatchObject({
      verdictCount: 1,
      latestVerdict: { seq: 10, rule: 'repeated-call', response: 'advise' },
    });
    expect(buildOwnGovernorView(timeline, timeline.head, 0).verdictCount).toBe(2);
    expect(buildOwnGovernorView(timeline, 9, 0).latestVerdict).toBeNull();
  });

  it('shows the limit that is closest to ending the work', () => {
    expect(buildOwnGovernorView(timeline, 10, 0).forcedEnd).toEqual({
      cause: 'repeated-call',
      usage: '3 of 4 times',
      share: 0.75,
    });
    expect(buildOwnGovernorView(createTimeline([goalEvent]), 1, 0).forcedEnd).toBeNull();
  });

  it('measures usage against each budget', () => {
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
    expect(by['cost']).toMatchObject({ isUnlimited: true, max: 'no limit' });
    expect(buildOwnGovernorView(spent, 7, 8_000).forcedEnd?.cause).toBe('the time budget');
    expect(buildOwnGovernorView(spent, 2, 2_000).meters[0]?.used).toBe('1');
  });

  it('lists the blocked calls', () => {
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
    expect(refused).toEqual(run.latest.governor.blockedCalls);
    expect(forcedEnd).not.toBeNull();
  });

  it('shows the state of a preset without rules', () => {
    const nexora = createTimeline([goalEvent, createAnswerReply('hi')], getProfileOptions('nexora'));
    const shown = buildOwnGovernorView(nexora, 1, 0);
    expect(shown.rules).toEqual([]);
    expect(shown.trackerState).not.toBeNull();
    expect(shown.preset).toBe('nexora');
  });
});

it('maps usage shares to a severity and a percentage', () => {
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
