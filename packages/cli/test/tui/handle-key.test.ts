import type { Event } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { removeQuestion, addQuestion } from '../../src/tui/questions.ts';
import { handleKey } from '../../src/tui/handle-key.ts';
import type { ScreenModel } from '../../src/tui/screen-model.ts';
import {
  applyEvents,
  createCallReplyEvent,
  ctrlCKey,
  helloEvent,
  openTestScreen,
  pressKeys,
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
    expect(pressKeys(busyModel, 'enter', createTextKey('faster'), 'enter').commands).toEqual([
      { type: 'steer', text: 'faster' },
    ]);
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

  it('sends nothing for an empty line, and keeps an unsent line', () => {
    expect(pressKeys(busyModel, 'enter', createTextKey('  '), 'enter').commands).toEqual([]);
    const unsent = pressKeys(busyModel, 'enter', createTextKey('half a '), 'escape');
    expect(unsent.commands).toEqual([]);
    expect(renderScreenText(unsent.model)).toContain(' › half a');
    expect(pressKeys(unsent.model, 'enter', createTextKey('line'), 'enter').commands).toEqual([
      { type: 'steer', text: 'half a line' },
    ]);
  });

  it('inserts pasted text with its line breaks', () => {
    const { model, commands } = pressKeys(busyModel, createTextKey('one\r\ntwo'));
    expect(commands).toEqual([]);
    expect(renderScreenText(model)).toContain(' ↳ one⏎two▏');
    expect(pressKeys(model, 'enter').commands).toEqual([{ type: 'steer', text: 'one\ntwo' }]);
  });

  it('shows the part of a long line around the cursor', () => {
    const { model } = pressKeys(waitingModel, createTextKey(`${'a'.repeat(100)}${'漢'.repeat(30)}end`));
    const row = renderScreenText(model).split('\n').at(-2);
    expect(row).toMatch(/^ › …a*漢{30}end▏$/);
  });
});

describe('while the agent works', () => {
  it('pauses and resumes with p, finishes with f, interrupts with escape', () => {
    expect(pressKeys(busyModel, createTextKey('p')).commands).toEqual([{ type: 'pause' }]);
    const paused = applyEvents(busyModel, { type: 'pause-requested', at: 1_500, reason: 'asked' });
    expect(pressKeys(paused, createTextKey('p')).commands).toEqual([{ type: 'resume' }]);
    expect(pressKeys(busyModel, createTextKey('f')).commands).toEqual([{ type: 'finish' }]);
    expect(pressKeys(busyModel, 'escape').commands).toEqual([{ type: 'cancel' }]);
  });

  it('sends no commands to a session that waits or is closed', () => {
    const idle = pressKeys(waitingModel, 'escape').model;
    expect(pressKeys(idle, createTextKey('f'), createTextKey('p'), 'escape').commands).toEqual([]);
    const ended = applyEvents(busyModel, { type: 'halt-requested', at: 2_000, reason: 'enough' });
    expect(
      pressKeys(ended, createTextKey('p'), createTextKey('f'), 'escape', 'enter', createTextKey('x'))
        .commands,
    ).toEqual([]);
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
  });

  it('is read-only in a session that runs elsewhere', () => {
    const watching = applyEvents(openTestScreen({ mode: 'watch' }), helloEvent);
    expect(
      pressKeys(
        watching,
        createTextKey('p'),
        createTextKey('f'),
        'escape',
        'enter',
        createTextKey('x'),
        'enter',
      ).commands,
    ).toEqual([]);
    expect(pressKeys(watching, createTextKey('q')).commands).toEqual([{ type: 'quit' }]);
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
    question: { call, reason: 'it changes things', always },
  });
}

const createPermissionCommands = (answer: object) => [
  { type: 'answer', number: 7, answer: { kind: 'permission', answer } },
];

describe('a permission question', () => {
  it('shows the whole call, the reason, and the rule that always adds', () => {
    const text = renderScreenText(askPermission(busyModel, 'rm -rf build\necho done'));
    for (const row of [' shell', ' command:', '   │ rm -rf build', '   │ echo done', ' it changes things']) {
      expect(text).toContain(`${row}\n`);
    }
    expect(text).toContain(' always allows: allow shell ls\n');
    expect(text).toContain(' y yes   n no   a always   esc interrupt\n');
  });

  it('is answered with y, n and a', () => {
    const model = askPermission(busyModel, 'ls');
    expect(pressKeys(model, createTextKey('y')).commands).toEqual(
      createPermissionCommands({ decision: 'allow' }),
    );
    expect(pressKeys(model, createTextKey('n')).commands).toEqual(
      createPermissionCommands({ decision: 'deny', reason: 'the user said no' }),
    );
    expect(pressKeys(model, createTextKey('a')).commands).toEqual(
      createPermissionCommands({ decision: 'allow', always: true }),
    );
    expect(pressKeys(model, 'escape').commands).toEqual([{ type: 'cancel' }]);
  });

  it('cannot be answered with always if there is no such rule', () => {
    const model = askPermission(busyModel, 'ls', null);
    expect(renderScreenText(model)).toContain(' y yes   n no   esc interrupt');
    expect(pressKeys(model, createTextKey('a')).commands).toEqual([]);
  });

  it('ignores a key pressed before the user could read it', () => {
    const model = askPermission(busyModel, 'ls');
    expect(handleKey(model, createTextKey('y'), model.now + 100).commands).toEqual([]);
    expect(handleKey(model, createTextKey('y'), model.now + 400).commands).toHaveLength(1);
  });

  it('is not answered by text that the user is typing', () => {
    const model = askPermission(pressKeys(busyModel, 'enter', createTextKey('tell me wh')).model, 'ls');
    const more = pressKeys(model, createTextKey('y'));
    expect(more.commands).toEqual([]);
    expect(renderScreenText(more.model)).toContain('tell me why▏');
    expect(renderScreenText(more.model)).toContain('press esc first, then y, n or a');
    expect(pressKeys(more.model, 'escape', createTextKey('y')).commands).toHaveLength(1);
  });

  it('keeps the typed line when it is cancelled', () => {
    const model = askPermission(pressKeys(busyModel, 'enter', createTextKey('tell me')).model, 'ls');
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
    const early = pressKeys(model, createTextKey('y'));
    expect(early.commands).toEqual([]);
    expect(renderScreenText(early.model)).toContain('Scroll to the end of the call first');
    expect(pressKeys(model, createTextKey('n')).commands).toHaveLength(1);
    const read = pressKeys(model, 'page-down', 'down', 'up', 'end').model;
    expect(renderScreenText(read)).toContain('   │ echo 59');
    expect(pressKeys(read, createTextKey('y')).commands).toEqual(
      createPermissionCommands({ decision: 'allow' }),
    );
  });

  it('waits until the previous one is answered', () => {
    const question = { call: { id: 'b', tool: 'write', args: {} }, reason: 'second', always: null };
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
    expect(renderScreenText(model)).toContain('  2. the right');
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

/** The screen without its first line and its last three. */
const renderBodyText = (model: ScreenModel): string =>
  renderScreenText(model).split('\n').slice(1, -3).join('\n');

describe('the views', () => {
  it('switch with tab, and back with shift-tab and escape', () => {
    const names = [0, 1, 2, 3, 4].map(
      (times) => pressKeys(busyModel, ...Array<'tab'>(times).fill('tab')).model.ui.view,
    );
    expect(names).toEqual(['work', 'transcript', 'events', 'memory', 'help']);
    expect(pressKeys(busyModel, 'back-tab').model.ui.view).toBe('help');
    expect(pressKeys(busyModel, 'tab', 'escape')).toMatchObject({
      model: { ui: { view: 'work' } },
      commands: [],
    });
    expect(pressKeys(busyModel, createTextKey('?')).model.ui.view).toBe('help');
  });

  it('freeze while the user scrolls back, and follow again at the end', () => {
    const many = applyEvents(
      busyModel,
      ...Array.from({ length: 40 }, (_, index) => createTalkEvents(10 * index)).flat(),
    );
    for (const tabs of [['tab'], ['tab', 'tab']] as const) {
      const back = pressKeys(many, ...tabs, 'page-up').model;
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
    const open = pressKeys(done, createTextKey('o')).model;
    expect(renderScreenText(open)).toContain('     │ the content');
    expect(renderScreenText(pressKeys(open, createTextKey('o')).model)).not.toContain('the content');
  });
});
