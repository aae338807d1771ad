import type { Event } from '@pawl/core';
import { turnChart } from '@pawl/core/charts';
import { createLkjChart } from '@pawl/core/modes';
import { findProfile } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import { getLineText } from '../../../src/tui/styled-line.ts';
import { renderChart } from '../../../src/tui/chart-view.ts';
import type { ScreenModel } from '../../../src/tui/screen-model.ts';
import {
  applyEvents,
  createCallReplyEvent,
  helloEvent,
  largeScreen,
  openTestScreen,
  renderScreenText,
} from '../fixtures/test-screen.ts';

const renderChartRows = (model: ScreenModel): readonly string[] =>
  renderChart(model, 79).map((line) => getLineText(line).trimEnd());

/** The names of the states with this symbol. */
const listStates = (model: ScreenModel, symbol: string): readonly string[] =>
  renderChartRows(model).flatMap((row) => {
    const [, mark, name = ''] = row.split(' ');
    return mark === symbol ? [name] : [];
  });

const readReplyEvent: Event = createCallReplyEvent(2_000, '', ['a', 'read', { path: 'a.md' }]);
const readFinishedEvent: Event = {
  type: 'tool-finished',
  at: 2_100,
  callId: 'a',
  outcome: { ok: true, output: 'text' },
};

describe('the chart of the turn', () => {
  it('follows the session, and marks the path since the last user message [NEX-124]', () => {
    const still = openTestScreen();
    expect([listStates(still, '◉'), listStates(still, '●')]).toEqual([['waitingForUser'], []]);
    const asking = applyEvents(still, helloEvent);
    expect([listStates(asking, '◉'), listStates(asking, '●')]).toEqual([
      ['callingModel'],
      ['waitingForUser'],
    ]);
    const running = applyEvents(asking, readReplyEvent);
    expect(listStates(running, '◉')).toEqual(['executingTools']);
    const checked = applyEvents(running, readFinishedEvent);
    expect(listStates(checked, '●')).toEqual([
      'waitingForUser',
      'processingResponse',
      'executingTools',
      'progressCheck',
    ]);
    const answered = applyEvents(checked, createCallReplyEvent(3_000, 'Done.'));
    expect(listStates(answered, '◉')).toEqual(['waitingForUser']);
    const next = applyEvents(answered, { ...helloEvent, at: 4_000 });
    expect(listStates(next, '●')).toEqual(['waitingForUser']);
    for (const model of [still, asking, running, checked, answered]) {
      const view = { ...model, size: largeScreen, ui: { ...model.ui, view: 'chart' } } as const;
      for (const row of renderChartRows(model)) expect(renderScreenText(view)).toContain(row);
    }
  });

  it('shows recovery, pauses and the end', () => {
    const failed: Event = { type: 'model-failed', at: 1_500, error: { kind: 'network', message: 'gone' } };
    expect(listStates(applyEvents(openTestScreen(), helloEvent, failed), '◉')).toEqual(['errorRecovery']);
    const paused: Event = { type: 'pause-requested', at: 1_600, reason: 'asked' };
    expect(listStates(applyEvents(openTestScreen(), helloEvent, failed, paused), '◉')).toEqual(['paused']);
    const halted: Event = { type: 'halt-requested', at: 1_700, reason: 'asked' };
    expect(listStates(applyEvents(openTestScreen(), helloEvent, halted), '◉')).toEqual(['halted']);
  });

  it('lists every state once with its number of visits', () => {
    const model = applyEvents(
      openTestScreen(),
      helloEvent,
      readReplyEvent,
      readFinishedEvent,
      createCallReplyEvent(3_000, 'Done.'),
    );
    const listed = renderChartRows(model);
    for (const { name } of turnChart.states) {
      expect(listed.filter((row) => row.split(' ').includes(name))).toHaveLength(1);
    }
    expect(listed).toContain(' ● callingModel           2×');
    expect(listed).toContain('   user → model → reply → tools → check → model → reply → user');
  });
});

describe('the chart of the modes', () => {
  it('shows the past modes, the current one and all others [NEX-124]', () => {
    const settings = findProfile('savant')?.settings ?? {};
    const search = createCallReplyEvent(2_000, '', ['a', 'context.fts_search', { query: 'x' }]);
    const model = applyEvents(
      openTestScreen({ settings }),
      helloEvent,
      search,
      readFinishedEvent,
      createCallReplyEvent(3_000, 'That is it, I think.'),
    );
    const listed = renderChartRows(model);
    expect(listed).toContain(' ● SEARCHING              1×');
    expect(listed).toContain(' ◉ ANALYZING              1×');
    expect(listed).toContain(' ○ STUCK_DECIDE');
    expect(renderScreenText(model)).toContain(' ANALYZING · scripted · ');
  });

  it('renders any chart, including one in which the model names the next mode', () => {
    const model = applyEvents(openTestScreen({ settings: { chart: createLkjChart() } }), helloEvent);
    expect(renderChartRows(model).filter((row) => row.startsWith(' ◉ '))).toHaveLength(2);
  });
});
