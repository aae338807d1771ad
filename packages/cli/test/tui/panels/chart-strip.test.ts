import type { Event } from '@pawl/core';
import { turnChart } from '@pawl/core/charts';
import { createLkjChart } from '@pawl/core/modes';
import { findProfile } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import { getLineText, type StyledLine } from '../../../src/tui/styled-line.ts';
import { renderChartColumn, renderChartStrip } from '../../../src/tui/chart-strip.ts';
import type { ScreenModel } from '../../../src/tui/screen-model.ts';
import {
  applyEvents,
  createCallReplyEvent,
  helloEvent,
  openTestScreen,
  renderScreenText,
} from '../fixtures/test-screen.ts';

const toTextRows = (lines: readonly StyledLine[]): readonly string[] =>
  lines.map((line) => getLineText(line).trimEnd());
const renderStripRows = (model: ScreenModel, columns = 79): readonly string[] =>
  toTextRows(renderChartStrip(model, columns, 2));

const readReplyEvent: Event = createCallReplyEvent(2_000, '', ['a', 'read', { path: 'a.md' }]);
const readFinishedEvent: Event = {
  type: 'tool-finished',
  at: 2_100,
  callId: 'a',
  outcome: { ok: true, output: 'text' },
};

describe('the chart of the turn', () => {
  it('follows the session, and highlights the path since the last user message [NEX-124]', () => {
    const still = openTestScreen();
    expect(renderStripRows(still)).toEqual([
      ' ◉ user──○ model──○ reply──○ permit──○ tools──○ hooks──○ check──○ phase',
      ' ○ recovery  ○ paging  ○ paused  ○ halted  ○ ended',
    ]);
    const asking = applyEvents(still, helloEvent);
    expect(renderStripRows(asking)[0]).toBe(
      ' ● user━━◉ model──○ reply──○ permit──○ tools──○ hooks──○ check──○ phase',
    );
    const running = applyEvents(asking, readReplyEvent);
    expect(renderStripRows(running)[0]).toBe(
      ' ● user━━● model━━● reply──○ permit──◉ tools──○ hooks──○ check──○ phase',
    );
    const checked = applyEvents(running, readFinishedEvent);
    expect(renderStripRows(checked)[0]).toBe(
      ' ● user━━◉ model━━● reply──○ permit──● tools──○ hooks──● check──○ phase',
    );
    const answered = applyEvents(checked, createCallReplyEvent(3_000, 'Done.'));
    expect(renderStripRows(answered)[0]).toBe(
      ' ◉ user━━● model━━● reply──○ permit──● tools──○ hooks──● check──○ phase',
    );
    expect(renderStripRows(applyEvents(answered, { ...helloEvent, at: 4_000 }))[0]).toBe(
      ' ● user━━◉ model──○ reply──○ permit──○ tools──○ hooks──○ check──○ phase',
    );
    for (const model of [still, asking, running, checked, answered]) {
      expect(renderScreenText(model)).toContain(renderStripRows(model).join('\n'));
    }
  });

  it('shows the side states as well', () => {
    const failed: Event = { type: 'model-failed', at: 1_500, error: { kind: 'network', message: 'gone' } };
    expect(renderStripRows(applyEvents(openTestScreen(), helloEvent, failed))[1]).toBe(
      ' ◉ recovery  ○ paging  ○ paused  ○ halted  ○ ended',
    );
    const paused: Event = { type: 'pause-requested', at: 1_600, reason: 'asked' };
    expect(renderStripRows(applyEvents(openTestScreen(), helloEvent, failed, paused))[1]).toBe(
      ' ● recovery  ○ paging  ◉ paused  ○ halted  ○ ended',
    );
    const halted: Event = { type: 'halt-requested', at: 1_700, reason: 'asked' };
    expect(toTextRows(renderChartStrip(applyEvents(openTestScreen(), helloEvent, halted), 79, 1))[0]).toMatch(
      /^ {2}◉ halted ● user/,
    );
  });

  it('lists every state once with its number of visits on a wide screen', () => {
    const model = applyEvents(
      openTestScreen(),
      helloEvent,
      readReplyEvent,
      readFinishedEvent,
      createCallReplyEvent(3_000, 'Done.'),
    );
    const listed = toTextRows(renderChartColumn(model, 40));
    for (const { name } of turnChart.states) {
      expect(listed.filter((row) => row.split(' ').includes(name))).toHaveLength(1);
    }
    expect(listed).toContain(' ● callingModel           2×');
    expect(listed).toContain('   tools → check → model → reply → user');
  });
});

describe('the chart of the modes', () => {
  it('shows the past modes, the current one and the possible next ones [NEX-124]', () => {
    const settings = findProfile('savant')?.settings ?? {};
    const search = createCallReplyEvent(2_000, '', ['a', 'context.fts_search', { query: 'x' }]);
    const model = applyEvents(
      openTestScreen({ settings }),
      helloEvent,
      search,
      readFinishedEvent,
      createCallReplyEvent(3_000, 'That is it, I think.'),
    );
    expect(renderStripRows(model)[2]).toBe(
      ' mode  ● INIT ━━ ● SEARCHING ━━ ◉ ANALYZING ── ○ DECIDING ○ STUCK_ANALYZE ○ FI…',
    );
    const listed = toTextRows(renderChartColumn(model, 40));
    expect(listed).toContain(' ◉ ANALYZING              1×');
    expect(listed).toContain(' ○ STUCK_DECIDE');
  });

  it('renders any chart, including one in which the model names the next mode', () => {
    const model = applyEvents(openTestScreen({ settings: { chart: createLkjChart() } }), helloEvent);
    expect(renderStripRows(model)[2]).toMatch(/^ mode {2}◉ \w+ ── ○ \w+/);
  });
});
