import { findProfile, lkjChart, turnChart, type Event } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { textOf, type Line } from '../../../src/tui/line.ts';
import { chartColumn, chartStrip } from '../../../src/tui/panels/chart-strip.ts';
import type { ScreenModel } from '../../../src/tui/screen.ts';
import { after, asks, hello, opened, screen } from '../fixtures/shown.ts';

const rows = (lines: readonly Line[]): readonly string[] => lines.map((line) => textOf(line).trimEnd());
const strip = (model: ScreenModel, columns = 79): readonly string[] => rows(chartStrip(model, columns, 2));

const read: Event = asks(2_000, '', ['a', 'read', { path: 'a.md' }]);
const done: Event = { type: 'tool-finished', at: 2_100, callId: 'a', outcome: { ok: true, output: 'text' } };

describe('the chart of the turn', () => {
  it('moves with the work, and lights the path it took since the user spoke [NEX-124]', () => {
    const still = opened();
    expect(strip(still)).toEqual([
      ' ◉ user──○ model──○ reply──○ permit──○ tools──○ hooks──○ check──○ phase',
      ' ○ recovery  ○ paging  ○ paused  ○ halted  ○ ended',
    ]);
    const asking = after(still, hello);
    expect(strip(asking)[0]).toBe(' ● user━━◉ model──○ reply──○ permit──○ tools──○ hooks──○ check──○ phase');
    const running = after(asking, read);
    expect(strip(running)[0]).toBe(' ● user━━● model━━● reply──○ permit──◉ tools──○ hooks──○ check──○ phase');
    const checked = after(running, done);
    expect(strip(checked)[0]).toBe(' ● user━━◉ model━━● reply──○ permit──● tools──○ hooks──● check──○ phase');
    const answered = after(checked, asks(3_000, 'Done.'));
    expect(strip(answered)[0]).toBe(
      ' ◉ user━━● model━━● reply──○ permit──● tools──○ hooks──● check──○ phase',
    );
    expect(strip(after(answered, { ...hello, at: 4_000 }))[0]).toBe(
      ' ● user━━◉ model──○ reply──○ permit──○ tools──○ hooks──○ check──○ phase',
    );
    for (const model of [still, asking, running, checked, answered]) {
      expect(screen(model)).toContain(strip(model).join('\n'));
    }
  });

  it('shows the states beside the way as well', () => {
    const failed: Event = { type: 'model-failed', at: 1_500, error: { kind: 'network', message: 'gone' } };
    expect(strip(after(opened(), hello, failed))[1]).toBe(
      ' ◉ recovery  ○ paging  ○ paused  ○ halted  ○ ended',
    );
    const paused: Event = { type: 'pause-requested', at: 1_600, reason: 'asked' };
    expect(strip(after(opened(), hello, failed, paused))[1]).toBe(
      ' ● recovery  ○ paging  ◉ paused  ○ halted  ○ ended',
    );
    const halted: Event = { type: 'halt-requested', at: 1_700, reason: 'asked' };
    expect(rows(chartStrip(after(opened(), hello, halted), 79, 1))[0]).toMatch(/^ {2}◉ halted ● user/);
  });

  it('lists every state of the machine once where there is room, with how often the work came by', () => {
    const model = after(opened(), hello, read, done, asks(3_000, 'Done.'));
    const listed = rows(chartColumn(model, 40));
    for (const { name } of turnChart.states) {
      expect(listed.filter((row) => row.split(' ').includes(name))).toHaveLength(1);
    }
    expect(listed).toContain(' ● callingModel           2×');
    expect(listed).toContain('   tools → check → model → reply → user');
  });
});

describe('the chart of the modes', () => {
  it('shows the modes the agent came through, the one it is in and those it can go to [NEX-124]', () => {
    const settings = findProfile('savant')?.settings ?? {};
    const search = asks(2_000, '', ['a', 'context.fts_search', { query: 'x' }]);
    const model = after(opened({ settings }), hello, search, done, asks(3_000, 'That is it, I think.'));
    expect(strip(model)[2]).toBe(
      ' mode  ● INIT ━━ ● SEARCHING ━━ ◉ ANALYZING ── ○ DECIDING ○ STUCK_ANALYZE ○ FI…',
    );
    const listed = rows(chartColumn(model, 40));
    expect(listed).toContain(' ◉ ANALYZING              1×');
    expect(listed).toContain(' ○ STUCK_DECIDE');
  });

  it('draws any chart, also one that the model leads through by name', () => {
    const model = after(opened({ settings: { chart: lkjChart() } }), hello);
    expect(strip(model)[2]).toMatch(/^ mode {2}◉ \w+ ── ○ \w+/);
  });
});
