import type { Event } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { removeQuestion, addQuestion } from '../../src/tui/questions.ts';
import { handleKey } from '../../src/tui/handle-key.ts';
import { screenViewNames, type ScreenModel } from '../../src/tui/screen-model.ts';
import {
  applyEvents,
  createCallReplyEvent,
  ctrlCKey,
  helloEvent,
  openTestScreen,
  pressKeys,
  renderRows,
  renderScreenText,
  tinyScreen,
  createTextKey,
} from './fixtures/test-screen.ts';

const busyModel = applyEvents(openTestScreen(), helloEvent);
const waitingModel = openTestScreen();

describe('typing', () => {
  it('sends a message when the agent waits, and steers while it works', () => {
    expect(pressKeys(waitingModel, createTextKey('p'), createTextKey('lease'), 'enter').commands).toEqual([
      { type: 'say', text: 'please' },
    ]);
    expect(pressKeys(busyModel, createTextKey('faster'), 'enter').commands).toEqual([
      { type: 'steer', text: 'faster' },
    ]);
  });

  it('is text in every state and every view, key by key or all at once', () => {
    const paused = applyEvents(busyModel, { type: 'pause-requested', at: 1_500, reason: 'asked' });
    for (const model of [waitingModel, busyModel, paused]) {
      for (const view of screenViewNames) {
        const inView: ScreenModel = { ...model, ui: { ...model.ui, view } };
        const keys = Array.from('please focus? yna pfoq 123', createTextKey);
        for (const typed of [
          pressKeys(inView, ...keys),
          pressKeys(inView, createTextKey('please focus? yna pfoq 123')),
        ]) {
          expect(typed.commands).toEqual([]);
          expect(typed.model.ui).toMatchObject({ view, input: { text: 'please focus? yna pfoq 123' } });
          expect(renderScreenText(typed.model)).toContain('please focus? yna pfoq 123▏');
        }
      }
    }
  });

  it('shows steering as queued until the agent receives it', () => {
    const steered: Event = { type: 'steered', at: 2_000, text: 'faster' };
    const queued = applyEvents(busyModel, steered);
    expect(renderScreenText(queued)).toContain(' › faster  queued');
    expect(renderScreenText(applyEvents(queued, { ...steered, text: 'and shorter' }))).toContain(
      ' › faster  and 1 more queued',
    );
    const received = applyEvents(queued, createCallReplyEvent(3_000, 'Done.'));
    expect(renderScreenText(received)).not.toContain('queued');
    expect(renderScreenText(received)).toContain(' › faster\n');
  });

  it('sends nothing for an empty line, and keeps the message when the turn is interrupted', () => {
    expect(pressKeys(busyModel, createTextKey('  '), 'enter').commands).toEqual([]);
    const interrupted = pressKeys(busyModel, createTextKey('half a '), 'escape');
    expect(interrupted.commands).toEqual([{ type: 'cancel' }]);
    expect(pressKeys(interrupted.model, createTextKey('line'), 'enter').commands).toEqual([
      { type: 'steer', text: 'half a line' },
    ]);
  });

  it('inserts pasted text with its line breaks', () => {
    const { model, commands } = pressKeys(busyModel, createTextKey('one\r\ntwo'));
    expect(commands).toEqual([]);
    expect(renderScreenText(model)).toContain(' ↳ one\n   two▏');
    expect(pressKeys(model, 'enter').commands).toEqual([{ type: 'steer', text: 'one\ntwo' }]);
  });

  it('starts a new line with Alt-Enter, Ctrl-J, or a backslash before Enter', () => {
    for (const keys of [
      ['newline'],
      [{ name: 'ctrl', letter: 'j' }],
      [createTextKey('\\'), 'enter'],
    ] as const) {
      const { commands } = pressKeys(waitingModel, createTextKey('a'), ...keys, createTextKey('b'), 'enter');
      expect(commands).toEqual([{ type: 'say', text: 'a\nb' }]);
    }
  });

  it('wraps a long line and keeps the cursor visible', () => {
    const { model } = pressKeys(waitingModel, createTextKey(`${'a'.repeat(100)}${'漢'.repeat(30)}end`));
    expect(renderScreenText(model)).toMatch(/ › a{75}\n {3}a{25}漢{25}\n {3}漢{5}end▏\n/);
    const many = pressKeys(
      waitingModel,
      createTextKey(Array.from({ length: 40 }, (_, line) => `l${line}`).join('\n')),
    );
    expect(renderScreenText(many.model)).toContain('   l39▏');
    expect(renderScreenText(many.model)).not.toContain(' l0\n');
    expect(renderRows(many.model)).toHaveLength(24);
  });

  it('brings back earlier messages, and the draft after them', () => {
    const sent = pressKeys(
      waitingModel,
      createTextKey('first'),
      'enter',
      createTextKey('second'),
      'enter',
    ).model;
    const typed = pressKeys(sent, createTextKey('draft'), 'up').model;
    expect(typed.ui.input.text).toBe('second');
    const first = pressKeys(typed, 'up', 'up').model;
    expect(first.ui.input.text).toBe('first');
    expect(pressKeys(first, 'down', 'down').model.ui.input.text).toBe('draft');
    expect(pressKeys(first, 'enter').commands).toEqual([{ type: 'say', text: 'first' }]);
  });

  it('keeps a message that Escape or Ctrl-C clears', () => {
    for (const key of ['escape', ctrlCKey] as const) {
      const cleared = pressKeys(waitingModel, createTextKey('a long message'), key);
      expect(cleared).toMatchObject({ model: { ui: { input: { text: '' } } }, commands: [] });
      expect(pressKeys(cleared.model, 'up').model.ui.input.text).toBe('a long message');
    }
  });

  it('opens the message in an editor', () => {
    expect(pressKeys(waitingModel, createTextKey('draft'), { name: 'ctrl', letter: 'g' }).commands).toEqual([
      { type: 'edit', text: 'draft' },
    ]);
  });
});

const enterText = (model: ScreenModel, text: string) => pressKeys(model, createTextKey(text), 'enter');

describe('commands', () => {
  it('pause, continue and finish the work', () => {
    expect(enterText(busyModel, '/pause').commands).toEqual([{ type: 'pause' }]);
    const paused = applyEvents(busyModel, { type: 'pause-requested', at: 1_500, reason: 'asked' });
    expect(enterText(paused, '/continue').commands).toEqual([{ type: 'resume' }]);
    expect(enterText(busyModel, '/finish').commands).toEqual([{ type: 'finish' }]);
    expect(enterText(busyModel, '/quit').commands).toEqual([{ type: 'quit' }]);
    expect(pressKeys(busyModel, 'escape').commands).toEqual([{ type: 'cancel' }]);
  });

  it('continue after a stop of the governor, as any message does, but not after a requested halt', () => {
    const verdict: Event = {
      type: 'verdict-reached',
      at: 2_000,
      verdict: {
        severity: 'stop',
        rule: 'repeated-call',
        reason: 'the same call has had the same result 5 times',
        advice: 'Try something else.',
        evidence: [1],
        response: { kind: 'halt' },
      },
    };
    const stopped = applyEvents(busyModel, verdict);
    expect(renderScreenText(stopped)).toContain(
      ' ✗ Stopped: the same call has had the same result 5 times. Write a message, or',
    );
    expect(enterText(stopped, '/continue').commands).toEqual([{ type: 'say', text: 'Continue.' }]);
    expect(enterText(stopped, 'look elsewhere').commands).toEqual([{ type: 'say', text: 'look elsewhere' }]);
    expect(renderScreenText(enterText(stopped, '/governor').model)).toContain(
      ' evidence: events 1\n   1  Mend the sum\n',
    );
    const halted = applyEvents(busyModel, { type: 'halt-requested', at: 2_000, reason: 'enough' });
    expect(enterText(halted, '/continue').commands).toEqual([]);
  });

  it('ask the agent for an AGENTS.md while it waits, and not while it works', () => {
    const { model, commands } = enterText(waitingModel, '/init');
    expect(commands).toEqual([{ type: 'say', text: expect.stringContaining('Write the file AGENTS.md') }]);
    expect(model.ui.input.text).toBe('');
    expect(enterText(busyModel, '/init').commands).toEqual([]);
    expect(enterText(busyModel, '/init').model.ui.notice?.text).toContain('/init');
  });

  it('explain why they do nothing', () => {
    for (const text of ['/pause', '/continue', '/finish', '/nothing', '/Pause now']) {
      const { model, commands } = enterText(waitingModel, text);
      expect(commands).toEqual([]);
      expect(model.ui.notice?.text).toMatch(/^There is (no|nothing)/);
    }
    expect(enterText(waitingModel, '/nothing').model.ui.input.text).toBe('/nothing');
  });

  it('are not confused with paths', () => {
    for (const text of ['/etc/hosts is wrong', '/ is full', '//']) {
      expect(enterText(waitingModel, text).commands).toEqual([{ type: 'say', text }]);
    }
  });

  it('are completed by their first letters, with Tab or Enter', () => {
    const { model } = pressKeys(busyModel, createTextKey('/p'));
    expect(renderScreenText(model)).toContain(' ❯ /pause  let running work finish');
    expect(pressKeys(model, 'tab').model.ui.input.text).toBe('/pause');
    expect(pressKeys(model, 'enter').commands).toEqual([{ type: 'pause' }]);
    const all = pressKeys(busyModel, createTextKey('/'), 'down', 'tab').model;
    expect(all.ui.input.text).toBe('/pause');
    const closed = pressKeys(model, 'escape');
    expect(closed.commands).toEqual([]);
    expect(renderScreenText(closed.model)).not.toContain('❯');
  });

  it('show each view', () => {
    for (const view of screenViewNames.slice(1)) {
      expect(enterText(busyModel, `/${view}`).model.ui.view).toBe(view);
    }
  });

  it('show what the session has cost', () => {
    const model = applyEvents(busyModel, createCallReplyEvent(2_000, 'Done.'));
    expect(renderScreenText(enterText(model, '/cost').model)).toContain(
      '1,200 tokens in, 80 out · cost 0.0120 · 1 model calls, 0 tool calls',
    );
  });
});

describe('file names', () => {
  const paths = ['src/app.ts', 'src/api/user.ts', 'docs/usage.md', 'README.md'];
  const model = openTestScreen({ paths });

  it('are completed after @, best match first', () => {
    const typed = pressKeys(model, createTextKey('see @us')).model;
    expect(renderScreenText(typed)).toMatch(/ ❯ src\/api\/user\.ts\n {3}docs\/usage\.md\n/);
    expect(pressKeys(typed, 'down', 'tab').model.ui.input.text).toBe('see @docs/usage.md ');
    expect(pressKeys(typed, 'enter').commands).toEqual([{ type: 'say', text: 'see @us' }]);
  });

  it('are not completed within an address or another word', () => {
    for (const text of ['ada@src', 'see @nothing-like-it']) {
      expect(renderScreenText(pressKeys(model, createTextKey(text)).model)).not.toContain('❯');
    }
  });
});

describe('while the agent works', () => {
  it('sends no commands to a session that waits or is closed', () => {
    expect(pressKeys(waitingModel, 'escape', 'escape', 'enter').commands).toEqual([]);
    const ended = applyEvents(busyModel, { type: 'halt-requested', at: 2_000, reason: 'enough' });
    expect(pressKeys(ended, 'escape', 'enter', createTextKey('x'), 'enter').commands).toEqual([]);
  });

  it('quits with a second Ctrl-C, and explains it after the first', () => {
    const once = pressKeys(busyModel, ctrlCKey);
    expect(once.commands).toEqual([]);
    expect(renderScreenText(once.model)).toContain(
      'Press Ctrl-C again to quit. The session is saved. Resume it with: pawl resume',
    );
    expect(pressKeys(once.model, ctrlCKey).commands).toEqual([{ type: 'quit' }]);
    const late = handleKey(once.model, ctrlCKey, once.model.now + 60_000);
    expect(late.commands).toEqual([]);
    const unsaved = pressKeys(openTestScreen({ isStored: false }), ctrlCKey).model;
    expect(renderScreenText(unsaved)).toContain('Press Ctrl-C again to quit. The session is not saved');
  });

  it('is read-only in a session that runs elsewhere', () => {
    const watching = applyEvents(openTestScreen({ mode: 'watch' }), helloEvent);
    expect(
      pressKeys(watching, createTextKey('pfq'), 'enter', createTextKey('/quit'), 'enter').commands,
    ).toEqual([]);
    expect(pressKeys(watching, 'escape').commands).toEqual([{ type: 'quit' }]);
    expect(pressKeys(watching, 'tab', 'escape').commands).toEqual([]);
    expect(pressKeys(watching, ctrlCKey).commands).toEqual([{ type: 'quit' }]);
    expect(renderScreenText(watching)).toContain('watching; the session runs elsewhere');
  });
});

function askPermission(
  model: ScreenModel,
  command: string,
  always: string | null = 'allow shell ls',
): ScreenModel {
  const call = { id: 'a', tool: 'shell', args: { command } };
  return addQuestion(model, 7, {
    kind: 'permission',
    question: { call, reason: 'it changes things', always, change: null },
  });
}

const createPermissionCommands = (answer: object) => [
  { type: 'answer', number: 7, answer: { kind: 'permission', answer } },
];

describe('a permission question', () => {
  it('shows the whole call, the reason, and what each answer does', () => {
    const text = renderScreenText(askPermission(busyModel, 'rm -rf build\necho done'));
    for (const row of [
      ' shell',
      ' command:',
      '   │ rm -rf build',
      '   │ echo done',
      ' it changes things',
      ' ❯ 1. Yes',
      '   2. Yes, and always: allow shell ls',
      '   3. No, or type the reason for the agent',
    ]) {
      expect(text).toContain(`${row}\n`);
    }
  });

  it('shows a change to a file as a diff, and points out that a whole file is replaced', () => {
    const change = {
      path: 'src/sum.js',
      linesBefore: 40,
      linesAfter: 40,
      diff: '@@ -7,3 +7,3 @@\n add(a, b) {\n-  return a - b;\n+  return a + b;\n }\n@@ -30,1 +30,1 @@\n-old\n+n\u200bew',
    };
    const ask = (tool: string) =>
      addQuestion(busyModel, 7, {
        kind: 'permission',
        question: { call: { id: 'a', tool, args: {} }, reason: 'it changes a file', always: null, change },
      });
    expect(renderScreenText(ask('edit'))).toContain(
      [
        ' edit src/sum.js  changes the file, 40 lines',
        '    7   add(a, b) {',
        '    8 -   return a - b;',
        '    8 +   return a + b;',
        '    9   }',
        '        ⋮',
        '   30 - old',
        '   30 + n⟨U+200B⟩ew',
        ' it changes a file',
      ].join('\n'),
    );
    expect(renderScreenText(ask('write'))).toContain(
      ' write src/sum.js  replaces the whole file, 40 lines by 40\n',
    );
  });

  it('is answered with arrow keys and Enter, or with a number and Enter', () => {
    const model = askPermission(busyModel, 'ls');
    const yes = createPermissionCommands({ decision: 'allow' });
    const always = createPermissionCommands({ decision: 'allow', always: true });
    const no = createPermissionCommands({ decision: 'deny', reason: 'the user said no' });
    expect(pressKeys(model, 'enter').commands).toEqual(yes);
    expect(pressKeys(model, 'down', 'enter').commands).toEqual(always);
    expect(pressKeys(model, 'down', 'down', 'enter').commands).toEqual(no);
    expect(pressKeys(model, 'up', 'enter').commands).toEqual(no);
    expect(pressKeys(model, createTextKey('1'), 'enter').commands).toEqual(yes);
    expect(pressKeys(model, createTextKey('2'), 'enter').commands).toEqual(always);
    expect(pressKeys(model, createTextKey('3'), 'enter').commands).toEqual(no);
    expect(pressKeys(model, 'escape').commands).toEqual([{ type: 'cancel' }]);
  });

  it('is not answered by any text alone, and text with Enter denies it with that reason', () => {
    const model = askPermission(busyModel, 'ls');
    for (const text of ['actually no', 'yes', 'a', 'y', 'always', '2 files only', '1.', 'n']) {
      const typed = pressKeys(model, ...Array.from(text, createTextKey));
      expect(typed.commands).toEqual([]);
      expect(renderScreenText(typed.model)).toContain(` ❯ 3. No, and tell the agent: ${text}\n`);
      expect(pressKeys(typed.model, 'enter').commands).toEqual(
        createPermissionCommands({ decision: 'deny', reason: `the user said no: ${text}` }),
      );
    }
  });

  it('clears the reason with Escape before it interrupts', () => {
    const reason = pressKeys(askPermission(busyModel, 'ls'), createTextKey('hm'), 'escape');
    expect(reason.commands).toEqual([]);
    expect(pressKeys(reason.model, 'enter').commands).toEqual(
      createPermissionCommands({ decision: 'allow' }),
    );
    expect(pressKeys(reason.model, 'escape').commands).toEqual([{ type: 'cancel' }]);
  });

  it('cannot be answered with always if there is no such rule', () => {
    const model = askPermission(busyModel, 'ls', null);
    expect(renderScreenText(model)).toContain(' ❯ 1. Yes\n   2. No, or');
    expect(renderScreenText(model)).not.toContain('always');
  });

  it('ignores an Enter pressed before the user could read it', () => {
    const model = askPermission(busyModel, 'ls');
    expect(handleKey(model, { name: 'enter' }, model.now + 100).commands).toEqual([]);
    expect(handleKey(model, { name: 'enter' }, model.now + 400).commands).toHaveLength(1);
  });

  it('is not answered by a message that was begun before it appeared', () => {
    const model = askPermission(pressKeys(busyModel, createTextKey('tell me wh')).model, 'ls');
    const more = pressKeys(model, createTextKey('y'));
    expect(renderScreenText(more.model)).toContain('tell me why▏');
    expect(renderScreenText(more.model)).toContain('enter send this message, then answer');
    const sent = pressKeys(more.model, 'enter');
    expect(sent.commands).toEqual([{ type: 'steer', text: 'tell me why' }]);
    expect(pressKeys(sent.model, 'enter').commands).toEqual(createPermissionCommands({ decision: 'allow' }));
  });

  it('is not answered by a message that is begun in the moment it appears', () => {
    const model = askPermission(busyModel, 'ls');
    const begun = handleKey(model, createTextKey('1'), model.now + 100).model;
    expect(pressKeys(begun, 'enter').commands).toEqual([{ type: 'steer', text: '1' }]);
    const deleted = pressKeys(begun, 'backspace').model;
    expect(pressKeys(deleted, 'enter').commands).toEqual(createPermissionCommands({ decision: 'allow' }));
  });

  it('keeps the typed message when it is cancelled', () => {
    const model = askPermission(pressKeys(busyModel, createTextKey('tell me')).model, 'ls');
    const cancelled = removeQuestion(model, 7);
    expect(renderScreenText(cancelled)).not.toContain('May this run?');
    expect(pressKeys(cancelled, createTextKey(' more'), 'enter').commands).toEqual([
      { type: 'steer', text: 'tell me more' },
    ]);
  });

  it('can be allowed only after scrolling to its end', () => {
    const command = Array.from({ length: 60 }, (_, index) => `echo ${index}`).join('\n');
    const model = askPermission(applyEvents(openTestScreen({ size: tinyScreen }), helloEvent), command);
    expect(renderScreenText(model)).toContain('more rows: page-down, end');
    const early = pressKeys(model, 'enter');
    expect(early.commands).toEqual([]);
    expect(renderScreenText(early.model)).toContain('Scroll to the end of the call first');
    expect(pressKeys(model, createTextKey('3'), 'enter').commands).toHaveLength(1);
    const read = pressKeys(model, 'page-down', 'page-up', 'end').model;
    expect(renderScreenText(read)).toContain('   │ echo 59');
    expect(pressKeys(read, 'enter').commands).toEqual(createPermissionCommands({ decision: 'allow' }));
  });

  it('waits until the previous one is answered', () => {
    const question = {
      call: { id: 'b', tool: 'write', args: {} },
      reason: 'second',
      always: null,
      change: null,
    };
    const model = addQuestion(askPermission(busyModel, 'ls'), 8, { kind: 'permission', question });
    expect(renderScreenText(model)).not.toContain('second');
  });
});

const createAnswerCommands = (text: string) => [
  { type: 'answer', number: 3, answer: { kind: 'model', answer: text } },
];

describe('a question from the model', () => {
  const model = addQuestion(busyModel, 3, {
    kind: 'model',
    question: { question: 'Which one?', options: ['the left', 'the right'] },
  });

  it('is answered by typing, or by the number of an option', () => {
    expect(renderScreenText(model)).toContain(' ❯ 1. the left\n   2. the right\n');
    expect(pressKeys(model, 'down', 'enter').commands).toEqual(createAnswerCommands('the right'));
    expect(pressKeys(model, createTextKey('neither'), 'enter').commands).toEqual(
      createAnswerCommands('neither'),
    );
    expect(pressKeys(model, createTextKey('2'), 'enter').commands).toEqual(createAnswerCommands('the right'));
    expect(pressKeys(model, createTextKey('3'), 'enter').commands).toEqual(createAnswerCommands('3'));
  });
});

/** An answer and the next user message. */
const createTalkEvents = (at: number): readonly Event[] => [
  createCallReplyEvent(at, `answer ${at}`),
  { type: 'user-message', at: at + 1, text: `message ${at}` },
];

/** The screen without the rule, the input, the status and the hints. */
const renderBodyText = (model: ScreenModel): string =>
  renderScreenText(model).split('\n').slice(0, -4).join('\n');

describe('the views', () => {
  it('switch with tab, and back with shift-tab and escape', () => {
    const names = screenViewNames.map(
      (_, times) => pressKeys(busyModel, ...Array<'tab'>(times).fill('tab')).model.ui.view,
    );
    expect(names).toEqual(screenViewNames);
    expect(pressKeys(busyModel, 'back-tab').model.ui.view).toBe('help');
    expect(pressKeys(busyModel, 'tab', 'escape')).toMatchObject({
      model: { ui: { view: 'work' } },
      commands: [],
    });
  });

  it('freeze while the user scrolls back, and follow again at the end', () => {
    const many = applyEvents(
      busyModel,
      ...Array.from({ length: 40 }, (_, index) => createTalkEvents(10 * index)).flat(),
    );
    for (const view of ['transcript', 'events'] as const) {
      const back = pressKeys(many, createTextKey(`/${view}`), 'enter', 'page-up').model;
      const later = applyEvents(back, ...createTalkEvents(5_000));
      expect(renderBodyText(later)).toBe(renderBodyText(back));
      expect(renderBodyText(later)).not.toContain('5000');
      expect(renderBodyText(pressKeys(later, 'page-down').model)).toContain('message 5000');
      expect(renderBodyText(pressKeys(back, 'home').model)).not.toContain('message 390');
    }
  });

  it('switch from work to transcript with page-up', () => {
    expect(pressKeys(busyModel, 'page-up').model.ui.view).toBe('transcript');
  });

  it('show and hide tool output', () => {
    const done = applyEvents(
      busyModel,
      createCallReplyEvent(2_000, '', ['a', 'read', { path: 'a.md' }]),
      { type: 'tool-started', at: 2_000, callId: 'a' },
      { type: 'tool-finished', at: 2_100, callId: 'a', outcome: { ok: true, output: 'the content' } },
    );
    expect(renderScreenText(done)).not.toContain('the content');
    const open = pressKeys(done, { name: 'ctrl', letter: 'o' }).model;
    expect(renderScreenText(open)).toContain('     │ the content');
    expect(renderScreenText(pressKeys(open, { name: 'ctrl', letter: 'o' }).model)).not.toContain(
      'the content',
    );
  });
});
