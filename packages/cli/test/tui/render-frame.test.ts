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

const activity = [
  ' › Mend the sum',
  '   Phase 1: Find the bug',
  '',
  '   I look first.',
  '   ✓ Read sum.js                                                        300 ms',
  '   ✗ Reading missing.js                                                  1.5 s',
  '     failed: There is no such file.',
  '',
  '   Now the tests.',
  '   ▸ Testing npm test  12 of 40 tests                                      5 s',
];

describe('the work view', () => {
  it('shows the transcript, the input and one status line on 80 by 24', () => {
    expect(renderRows(workingModel)).toEqual([
      ...Array<string>(8).fill(''),
      '   Session session-1 · scripted · /some/project',
      '',
      ...activity,
      '─'.repeat(79),
      ' ↳ ▏message to the agent; it is delivered with the next request',
      ' ◐ Testing npm test · 5 s       phase 1 of 4 · scripted · 2.6k tokens · 0.0240',
      ' enter send while it works · esc interrupt · / commands · ctrl-o tool output',
    ]);
  });

  it('has the same parts on 200 by 50', () => {
    const rows = renderRows(resizeScreen(workingModel, largeScreen));
    expect(rows).toHaveLength(50);
    expect(rows.at(-2)).toMatch(
      /^ ◐ Testing npm test · 5 s +phase 1 of 4 · scripted · 2\.6k tokens · 0\.0240 · 92 % context left$/,
    );
    expect(rows.at(-5)).toMatch(/^ {3}▸ Testing npm test {2}12 of 40 tests .* 5 s$/);
  });

  it('shows the end of the transcript on 60 by 15', () => {
    const rows = renderRows(resizeScreen(workingModel, tinyScreen));
    expect(rows).toEqual([
      '',
      ' › Mend the sum',
      '   Phase 1: Find the bug',
      '',
      '   I look first.',
      '   ✓ Read sum.js                                    300 ms',
      '   ✗ Reading missing.js                              1.5 s',
      '     failed: There is no such file.',
      '',
      '   Now the tests.',
      '   ▸ Testing npm test  12 of 40 tests                  5 s',
      '─'.repeat(59),
      ' ↳ ▏message to the agent; it is delivered with the next re…',
      ' ◐ Testing npm test · 5 s phase 1 of 4 · scripted · 0.0240',
      ' enter send while it works · esc interrupt · / commands',
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

  it('says in words what the agent does', () => {
    const cases: readonly (readonly [text: string, model: ScreenModel])[] = [
      ['○ Ready', openTestScreen()],
      ['Thinking', applyEvents(openTestScreen(), helloEvent)],
      ['Writing', applyEvents(openTestScreen(), helloEvent, { type: 'text-delta', at: 1_100, text: 'So' })],
      ['‖ Paused', applyEvents(workingModel, { type: 'pause-requested', at: 9_000, reason: 'asked' })],
      [
        '■ Stopped: enough',
        applyEvents(workingModel, { type: 'halt-requested', at: 9_000, reason: 'enough' }),
      ],
    ];
    for (const [text, model] of cases) expect(renderRows(model).at(-2)).toContain(text);
  });

  it('mentions the governor only when it reports something in this turn', () => {
    const once = applyEvents(openTestScreen({ settings }), helloEvent, ...createRepeatedFailure(1_000));
    expect(renderRows(once).at(-2)).not.toContain('governor');
    const twice = applyEvents(once, ...createRepeatedFailure(2_000));
    expect(renderRows(twice).at(-2)).toContain('governor: repeated-failure');
    const next = applyEvents(twice, createCallReplyEvent(3_000, 'Done.'), { ...helloEvent, at: 4_000 });
    expect(renderRows(next).at(-2)).not.toContain('governor');
  });
});

describe('changes to files', () => {
  const editEvents: readonly Event[] = [
    createCallReplyEvent(2_000, '', ['a', 'edit', { path: 'sum.js', old: 'a', new: 'b' }]),
    { type: 'tool-started', at: 2_000, callId: 'a' },
    {
      type: 'tool-finished',
      at: 2_100,
      callId: 'a',
      outcome: { ok: true, output: 'done' },
      files: [{ path: 'sum.js', hash: 'x', diff: '@@ -1,2 +1,3 @@\n same\n-old\n+new\n+more' }],
    },
    { type: 'hooks-finished', at: 2_100, actionTaken: false },
  ];
  const edited = applyEvents(openTestScreen(), helloEvent, ...editEvents);

  it('are shown with the call, and listed at the end of the turn', () => {
    expect(renderScreenText(edited)).toContain(
      '   ✓ Edited sum.js                                                      100 ms\n       1   same\n       2 - old\n       2 + new\n       3 + more\n',
    );
    expect(renderScreenText(edited)).not.toContain('Changed');
    const done = applyEvents(edited, createCallReplyEvent(3_000, 'Done.'));
    expect(renderScreenText(done)).toContain('   Changed sum.js +2 −1 (/diff)\n');
    const next = applyEvents(
      done,
      { ...helloEvent, at: 4_000 },
      createCallReplyEvent(5_000, 'Nothing to do.'),
    );
    expect(renderScreenText(next).match(/Changed/g)).toHaveLength(1);
  });

  it('have a view of their own', () => {
    const text = renderScreenText({ ...edited, ui: { ...edited.ui, view: 'diff' } });
    expect(text).toContain(' sum.js\n    1   same\n    2 - old\n    2 + new\n    3 + more\n');
    const none = openTestScreen();
    expect(renderScreenText({ ...none, ui: { ...none.ui, view: 'diff' } })).toContain(
      'No file has been changed',
    );
  });
});

describe('the governor view', () => {
  it('shows budgets, the nearest rules and the latest verdict', () => {
    const model = applyEvents(
      openTestScreen({ settings }),
      helloEvent,
      ...createRepeatedFailure(1_000),
      ...createRepeatedFailure(2_000),
    );
    const text = renderScreenText({ ...model, ui: { ...model.ui, view: 'governor' } });
    expect(text).toMatch(/ model {7}▱{8} 2\/40\n tools {7}▱{8} 2\/60\n cost {8}▱{8} 0\.0240\/1\.0000\n/);
    expect(text).toContain(' 1 verdict, last repeated-failure\n');
    expect(text).toContain(model.verdicts.latest?.advice.slice(0, 30));
    expect(text).toMatch(/ repeated-failure +▰+▱+ 2\/3 block/);
  });
});

describe('the chart view', () => {
  it('shows the state chart and the phases', () => {
    const size = { columns: 80, rows: 40 };
    const text = renderScreenText({ ...workingModel, size, ui: { ...workingModel.ui, view: 'chart' } });
    expect(text).toContain(' ◉ executingTools         2×\n');
    expect(text).toContain(' phases ▱▱▱▱\n phase 1 of 4: Find the bug (8 s of 1 min; 0 done, 0 %)\n');
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
    question: {
      call,
      reason: text,
      always: text,
      change: { path: text, linesBefore: 1, linesAfter: 2, diff: `@@ -1,1 +1,2 @@\n-${text}\n+${text}` },
    },
  });
  // Typed text is limited, and pending steering was typed.
  const line = text.slice(0, 20_000);
  const ui = { ...withQuestion.ui, input: { text: line, cursor: 0 }, notice: { text: line, until: 9_999 } };
  return addWarning({ ...withQuestion, ui, pendingSteering: [line] }, text);
}
