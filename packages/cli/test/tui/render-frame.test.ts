import type { Event } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addQuestion } from '../../src/tui/questions.ts';
import { renderFrame } from '../../src/tui/render-frame.ts';
import { getLineWidth, getLineText } from '../../src/tui/styled-line.ts';
import {
  resizeScreen,
  advanceClock,
  screenViewNames,
  addWarning,
  type ScreenModel,
} from '../../src/tui/screen-model.ts';
import {
  applyEvents,
  createCallReplyEvent,
  measureCpuMs,
  helloEvent,
  largeScreen,
  openTestScreen,
  renderScreenText,
  renderRows,
  tinyScreen,
} from './fixtures/test-screen.ts';

const budgets = { modelCalls: 40, toolCalls: 60, tokens: null, cost: 1, wallMs: null };
const settings = { ...findProfile('pawl')?.settings, budgets, windowTokens: 16_000 };

/** A task in phases: two tools have finished, one of them with an error, and a third is running. */
const workEvents: readonly Event[] = [
  helloEvent,
  { type: 'phase-started', at: 1_000, number: 1, description: 'Find the bug', total: 4, expectedMs: 60_000 },
  createCallReplyEvent(
    2_000,
    'I look first.',
    ['a', 'read', { path: 'sum.js' }],
    ['b', 'read', { path: 'missing.js' }],
  ),
  { type: 'tool-started', at: 2_000, callId: 'a' },
  { type: 'tool-started', at: 2_000, callId: 'b' },
  { type: 'tool-finished', at: 2_300, callId: 'a', outcome: { ok: true, output: 'return a - b' } },
  {
    type: 'tool-finished',
    at: 3_500,
    callId: 'b',
    outcome: { ok: false, error: { kind: 'failed', message: 'There is no such file.' } },
  },
  createCallReplyEvent(4_000, 'Now the tests.', ['c', 'test', { command: 'npm test' }]),
  { type: 'tool-started', at: 4_000, callId: 'c' },
  { type: 'tool-progressed', at: 5_000, callId: 'c', progress: '12 of 40 tests' },
];

const workingModel = advanceClock(applyEvents(openTestScreen({ settings }), ...workEvents), 9_000);

/** The rows of the panels. */
const findPanelRows = (model: ScreenModel): readonly number[] =>
  [' ● user', ' governor', ' memory', ' used', ' › '].map((label) =>
    renderRows(model).findLastIndex((row) => row.startsWith(label)),
  );

/** The same call with the same error. */
const createRepeatedFailure = (at: number): readonly Event[] => [
  createCallReplyEvent(at, '', ['x', 'read', { path: 'no.md' }]),
  { type: 'tool-started', at, callId: 'x' },
  {
    type: 'tool-finished',
    at,
    callId: 'x',
    outcome: { ok: false, error: { kind: 'failed', message: 'no such file' } },
  },
];

describe('the work view', () => {
  it('shows state, transcript, chart, phases, budgets, governor, memory and usage on 80 by 24', () => {
    expect(renderRows(workingModel)).toEqual([
      ' ◐ executingTools  5 s                      work transcript events memory help',
      '   Session session-1 · scripted · /some/project',
      '',
      ' › Mend the sum',
      '   Phase 1: Find the bug',
      '',
      '   I look first.',
      '   ✓ read        sum.js                                                 300 ms',
      '   ✗ read        missing.js                                              1.5 s',
      '     failed: There is no such file.',
      '',
      '   Now the tests.',
      '   ▸ test        npm test  12 of 40 tests                                  5 s',
      '─'.repeat(79),
      ' ● user━━● model━━● reply──○ permit──◉ tools──○ hooks──● check━━● phase',
      ' ○ recovery  ○ paging  ○ paused  ○ halted  ○ ended',
      ' phases   ▱▱▱▱ phase 1 of 4: Find the bug (8 s of 1 min; 0 done, 0 %)',
      ' budgets  model ▱▱▱▱▱ 2/40 · tools ▱▱▱▱▱ 2/60 · cost ▱▱▱▱▱ 0.0240/1.0000',
      ' governor no findings',
      ' memory   ▱▱▱▱▱▱ 0 % of 4,096 tokens, 0 entries · window ▱▱▱▱▱▱ 8 % of 16,000',
      ' used     2,400 tokens in, 160 out · cost 0.0240 · 2 model calls, 2 tool calls',
      '─'.repeat(79),
      ' › enter to write',
      ' enter write · p pause · f finish now · esc interrupt · tab views · ? help',
    ]);
  });

  it('shows the charts and figures next to the transcript on 200 by 50', () => {
    const rows = renderRows(resizeScreen(workingModel, largeScreen));
    expect(rows).toHaveLength(50);
    const beside = rows.slice(1, -3).map((row) => row.slice(158).trim());
    const bar = '▱'.repeat(8);
    expect(beside.filter((row) => row !== '')).toEqual([
      'state',
      '● waitingForUser         1×',
      '● callingModel           2×',
      '● processingResponse     2×',
      '○ awaitingPermission',
      '◉ executingTools         2×',
      '○ postToolsHook',
      '● progressCheck          2×',
      '● phaseTransition        1×',
      '○ errorRecovery',
      '○ paging',
      '○ paused',
      '○ halted',
      '○ shuttingDown',
      'check → model → reply → tools',
      'governor',
      `model       ${bar} 2/40`,
      `tools       ${bar} 2/60`,
      `cost        ${bar} 0.0240/1.0000`,
      'phases',
      '▱▱▱▱',
      'phase 1 of 4: Find the bug (8 s of 1',
      'min; 0 done, 0 %)',
      'memory',
      `held        ${bar} 0/4,096`,
      'window      ▰▱▱▱▱▱▱▱ 1,280/16,000',
      '0 entries, 0 % of the window',
      'used',
      '2,400 tokens in, 160 out',
      'cost 0.0240',
      '2 model calls, 2 tool calls',
    ]);
    expect(rows.at(-4)).toMatch(/^ {3}▸ test {8}npm test {2}12 of 40 tests .* 5 s {2}│$/);
  });

  it('shows the transcript, the chart and the input line on 60 by 15', () => {
    const rows = renderRows(resizeScreen(workingModel, tinyScreen));
    expect(rows).toHaveLength(15);
    expect(rows.slice(1)).toEqual([
      '   ✓ read        sum.js                             300 ms',
      '   ✗ read        missing.js                          1.5 s',
      '     failed: There is no such file.',
      '',
      '   Now the tests.',
      '   ▸ test        npm test  12 of 40 tests              5 s',
      '─'.repeat(59),
      ' ●user━●model━●reply─○permit─◉tools─○hooks─●check━●phase',
      ' phases   ▱▱▱▱ phase 1 of 4: Find the bug (8 s of 1 min; 0…',
      ' governor no findings · model ▱▱▱▱▱ 2/40',
      ' used     2,400 tokens in, 160 out · cost 0.0240',
      '─'.repeat(59),
      ' › enter to write',
      ' enter write · p pause · f finish now · esc interrupt',
    ]);
  });

  it('streams the reply', () => {
    const speaking = applyEvents(
      openTestScreen(),
      helloEvent,
      { type: 'text-delta', at: 1_100, text: 'I begin ' },
      { type: 'text-delta', at: 1_200, text: 'with' },
    );
    expect(renderScreenText(speaking)).toContain('   I begin with\n');
    const spoken = applyEvents(speaking, createCallReplyEvent(1_300, 'I begin with the tests.'));
    expect(renderScreenText(spoken)).toContain('   I begin with the tests.\n');
    expect(renderScreenText(spoken)).not.toContain('   I begin with\n');
  });

  it('keeps the layout while events arrive', () => {
    const models = workEvents
      .slice(2)
      .map((_, index) => applyEvents(openTestScreen({ settings }), ...workEvents.slice(0, index + 3)));
    const [first] = models.map(findPanelRows);
    for (const model of models) expect(findPanelRows(model)).toEqual(first);
  });

  it('shows the nearest rules and the latest verdict', () => {
    const once = applyEvents(openTestScreen({ settings }), helloEvent, ...createRepeatedFailure(1_000));
    expect(renderScreenText(once)).toContain(' governor no findings');
    const twice = applyEvents(once, ...createRepeatedFailure(2_000));
    expect(renderScreenText(twice)).toContain(' governor 1 verdict, last repeated-failure');
    expect(renderScreenText(twice)).toContain('/3 to block');
    const wide = renderScreenText(resizeScreen(twice, largeScreen));
    expect(wide).toContain(twice.verdicts.latest?.advice.slice(0, 30));
  });
});

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '\x1b[2J\x1b[H',
    '\x1b]0;title\x07',
    '\x1b]8;;http://example.com\x1b\\link',
    '\u202egnp.exe',
    '\u200b\u2060\ufeff',
    '\ud800',
    'e' + '\u0301'.repeat(40),
    '\u1100'.repeat(40),
    '漢字'.repeat(60),
    '__proto__',
    'a'.repeat(5_000),
  ),
);

/** Characters that must never reach the terminal. */
const activePattern = /[\p{Cc}\p{Cf}\p{Cs}\p{DI}\p{Zl}\p{Zp}]/u;

describe('hostile text', () => {
  it('never reaches the terminal, from any source, in any view and at any size', () => {
    const sizes = fc.record({
      columns: fc.integer({ min: 1, max: 220 }),
      rows: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(hostile, sizes, fc.constantFrom(...screenViewNames), (text, size, view) => {
        const model = createHostileModel(text);
        const lines = renderFrame({ ...resizeScreen(model, size), ui: { ...model.ui, view } });
        expect(lines).toHaveLength(size.rows);
        for (const line of lines) {
          expect(getLineText(line)).not.toMatch(activePattern);
          expect(getLineWidth(line)).toBeLessThanOrEqual(Math.max(1, size.columns - 1));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is rendered quickly, even a line of a megabyte', () => {
    const cpuMs = measureCpuMs(() => {
      const model = createHostileModel(`${'x'.repeat(1_000_000)}\x1b[31m`);
      for (const view of screenViewNames) renderFrame({ ...model, ui: { ...model.ui, view } });
      renderFrame(resizeScreen(model, largeScreen));
    });
    expect(cpuMs).toBeLessThan(8_000);
  });
});

/** A view with this text everywhere that a model, a tool, a file or a server can write. */
function createHostileModel(text: string): ScreenModel {
  const tool = text.slice(0, 2_000);
  const model = applyEvents(
    openTestScreen({ settings }),
    { type: 'user-message', at: 1_000, text },
    { type: 'phase-started', at: 1_000, number: 1, description: text },
    { type: 'text-delta', at: 1_000, text },
    createCallReplyEvent(
      1_100,
      text,
      ['a', tool, { [tool]: text }],
      [text, 'working_memory_add', { tags: tool, value: text }],
    ),
    { type: 'tool-started', at: 1_100, callId: 'a' },
    { type: 'tool-progressed', at: 1_150, callId: 'a', progress: text },
    {
      type: 'tool-finished',
      at: 1_200,
      callId: 'a',
      outcome: { ok: false, error: { kind: 'failed', message: text } },
    },
    { type: 'tool-finished', at: 1_300, callId: text, outcome: { ok: true, output: text } },
    { type: 'model-failed', at: 1_400, error: { kind: 'unknown', message: text } },
    { type: 'pause-requested', at: 1_500, reason: text },
  );
  const descriptor = { ...model.descriptor, folder: text, model: text, id: text };
  const call = { id: 'a', tool, args: { [tool]: text } };
  const withQuestion = addQuestion({ ...model, descriptor }, 1, {
    kind: 'permission',
    question: { call, reason: text, always: text },
  });
  // Typed text is limited, and pending steering was typed.
  const line = text.slice(0, 20_000);
  const ui = { ...withQuestion.ui, input: { text: line, cursor: 0 }, notice: { text: line, until: 9_999 } };
  return addWarning({ ...withQuestion, ui, pendingSteering: [line] }, text);
}
