import { describe, expect, it } from 'vitest';
import { rulesFor } from '@pawl/core';
import type { Track } from '../../web/app/track.ts';
import {
  governorShown,
  gravity,
  percent,
  type GovernorShown,
} from '../../web/views/governor/governor-model.ts';
import { answers, asks, gives, goal, settingsOf, stuckRun, trackOf, type Untimed } from './view-runs.ts';

/** By the rules of the session itself. */
function shownOf(track: Track, at: number, now: number): GovernorShown {
  return governorShown(track, at, { now, rules: rulesFor(track.created.settings.governor) });
}

const free = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };

describe('the governor after an event', () => {
  const track = trackOf(stuckRun);

  it('has the rule that is nearest first, with what it does next', () => {
    const shown = shownOf(track, 7, 7_000);
    expect(shown.rules[0]).toMatchObject({ id: 'repeated-call', count: 2, next: { level: 'advise', at: 3 } });
    expect(shown.rules.length).toBeGreaterThan(15);
    expect(shown.spoke).toBe(0);
  });

  it('counts how often it has spoken by then, and what it said last', () => {
    expect(shownOf(track, 10, 0)).toMatchObject({
      spoke: 1,
      latest: { seq: 10, rule: 'repeated-call', response: 'advise' },
    });
    expect(shownOf(track, track.head, 0).spoke).toBe(2);
    expect(shownOf(track, 9, 0).latest).toBeNull();
  });

  it('says what would end the work first, and how far that is', () => {
    expect(shownOf(track, 10, 0).forcedEnd).toEqual({
      by: 'repeated-call',
      left: '3 of 4 times',
      share: 0.75,
    });
    expect(shownOf(trackOf([goal]), 1, 0).forcedEnd).toBeNull();
  });

  it('measures what is used against each budget', () => {
    const budgets = { ...free, modelCalls: 4, tokens: 1_000, wallMs: 10_000 };
    const spent = trackOf([goal, asks('read'), ...gives('x'), asks('list'), ...gives('y')], {
      settings: { budgets },
    });
    const { meters } = shownOf(spent, 7, 8_000);
    const by = Object.fromEntries(meters.map((meter) => [meter.name, meter]));
    expect(by['model calls']).toMatchObject({ used: '2', max: '4', share: 0.5 });
    expect(by['tokens']?.share).toBeCloseTo(0.22);
    expect(by['time']?.share).toBeCloseTo(0.7);
    expect(by['cost']).toMatchObject({ isFree: true, max: 'no limit' });
    expect(shownOf(spent, 7, 8_000).forcedEnd?.by).toBe('the budget of time');
    expect(shownOf(spent, 2, 2_000).meters[0]?.used).toBe('1');
  });

  it('has the calls that are refused for now', () => {
    const fails: readonly Untimed[] = [
      asks('run', { command: 'make' }),
      { type: 'tool-started', callId: 'c' },
      {
        type: 'tool-finished',
        callId: 'c',
        outcome: { ok: false, error: { kind: 'failed', message: 'boom' } },
      },
    ];
    const run = trackOf([goal, ...fails, ...fails, ...fails, ...fails]);
    const { refused, forcedEnd } = shownOf(run, run.head, 0);
    expect(refused).not.toHaveLength(0);
    expect(refused).toEqual(run.now.governor.refused);
    expect(forcedEnd).not.toBeNull();
  });

  it('tells the state of a preset that has no rules to list', () => {
    const nexora = trackOf([goal, answers('hi')], settingsOf('nexora'));
    const shown = shownOf(nexora, 1, 0);
    expect(shown.rules).toEqual([]);
    expect(shown.machine).not.toBeNull();
    expect(shown.preset).toBe('nexora');
  });
});

it('stays quiet until something is nearly used up', () => {
  expect([0, 0.59, 0.6, 0.89, 0.9, 3].map(gravity)).toEqual(['calm', 'calm', 'near', 'near', 'full', 'full']);
  expect([0, 0.333, 1.2, NaN].map(percent)).toEqual(['0 %', '33 %', '120 %', '0 %']);
});
