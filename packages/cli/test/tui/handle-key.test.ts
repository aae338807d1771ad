import type { Event } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { removeQuestion, addQuestion } from '../../src/tui/question-state.ts';
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
  it('says what was typed when the agent waits, and steers while it works', () => {
    expect(pressKeys(waitingModel, createTextKey('p'), createTextKey('lease'), 'enter').commands).toEqual([
      { type: 'say', text: 'please' },
    ]);
    expect(pressKeys(busyModel, 'enter', createTextKey('faster'), 'enter').commands).toEqual([
      { type: 'steer', text: 'faster' },
    ]);
  });

  it('shows what has been said and is not heard yet, until it is', () => {
    const steered: Event = { type: 'steered', at: 2_000, text: 'faster' };
    const said = applyEvents(busyModel, steered);
    expect(renderScreenText(said)).toContain(' › faster  waits to be heard');
    expect(renderScreenText(applyEvents(said, { ...steered, text: 'and shorter' }))).toContain(
      ' › faster  and 1 more waits to be heard',
    );
    const heard = applyEvents(said, createCallReplyEvent(3_000, 'Done.'));
    expect(renderScreenText(heard)).not.toContain('to be heard');
    expect(renderScreenText(heard)).toContain(' › faster\n');
  });

  it('sends nothing for an empty line, and keeps a line that was left', () => {
    expect(pressKeys(busyModel, 'enter', createTextKey('  '), 'enter').commands).toEqual([]);
    const left = pressKeys(busyModel, 'enter', createTextKey('half a '), 'escape');
    expect(left.commands).toEqual([]);
    expect(renderScreenText(left.model)).toContain(' › half a');
    expect(pressKeys(left.model, 'enter', createTextKey('line'), 'enter').commands).toEqual([
      { type: 'steer', text: 'half a line' },
    ]);
  });

  it('takes pasted text as text, line breaks and all', () => {
    const { model, commands } = pressKeys(busyModel, createTextKey('one\r\ntwo'));
    expect(commands).toEqual([]);
    expect(renderScreenText(model)).toContain(' ↳ one⏎two▏');
    expect(pressKeys(model, 'enter').commands).toEqual([{ type: 'steer', text: 'one\ntwo' }]);
  });

  it('shows the part of a long line that the cursor is in', () => {
    const { model } = pressKeys(waitingModel, createTextKey(`${'a'.repeat(100)}${'漢'.repeat(30)}end`));
    const row = renderScreenText(model).split('\n').at(-2);
    expect(row).toMatch(/^ › …a*漢{30}end▏$/);
  });
});

describe('while the agent works', () => {
  it('pauses and goes on with p, finishes with f, interrupts with escape', () => {
    expect(pressKeys(busyModel, createTextKey('p')).commands).toEqual([{ type: 'pause' }]);
    const paused = applyEvents(busyModel, { type: 'pause-requested', at: 1_500, reason: 'asked' });
    expect(pressKeys(paused, createTextKey('p')).commands).toEqual([{ type: 'resume' }]);
    expect(pressKeys(busyModel, createTextKey('f')).commands).toEqual([{ type: 'finish' }]);
    expect(pressKeys(busyModel, 'escape').commands).toEqual([{ type: 'cancel' }]);
  });

  it('asks nothing of a session that waits or has ended', () => {
    const idle = pressKeys(waitingModel, 'escape').model;
    expect(pressKeys(idle, createTextKey('f'), createTextKey('p'), 'escape').commands).toEqual([]);
    const ended = applyEvents(busyModel, { type: 'halt-requested', at: 2_000, reason: 'enough' });
    expect(
      pressKeys(ended, createTextKey('p'), createTextKey('f'), 'escape', 'enter', createTextKey('x'))
        .commands,
    ).toEqual([]);
  });

  it('leaves with a second Ctrl-C, and says first what that means', () => {
    const once = pressKeys(busyModel, ctrlCKey);
    expect(once.commands).toEqual([]);
    expect(renderScreenText(once.model)).toContain(
      'Press Ctrl-C again to leave. The session is kept: pawl resume session-',
    );
    expect(pressKeys(once.model, ctrlCKey).commands).toEqual([{ type: 'leave' }]);
    const late = handleKey(once.model, ctrlCKey, once.model.now + 60_000);
    expect(late.commands).toEqual([]);
  });

  it('only looks on in a session that runs elsewhere', () => {
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
    expect(pressKeys(watching, createTextKey('q')).commands).toEqual([{ type: 'leave' }]);
    expect(pressKeys(watching, ctrlCKey).commands).toEqual([{ type: 'leave' }]);
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

const createPermissionCommands = (given: object) => [
  { type: 'answer', number: 7, answer: { kind: 'permission', answer: given } },
];

describe('a question of permission', () => {
  it('shows the whole call, why it is asked, and what always would mean', () => {
    const text = renderScreenText(askPermission(busyModel, 'rm -rf build\necho done'));
    for (const row of [' shell', ' command:', '   │ rm -rf build', '   │ echo done', ' it changes things']) {
      expect(text).toContain(`${row}\n`);
    }
    expect(text).toContain(' always means: allow shell ls\n');
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

  it('cannot be answered with always where there is no such rule', () => {
    const model = askPermission(busyModel, 'ls', null);
    expect(renderScreenText(model)).toContain(' y yes   n no   esc interrupt');
    expect(pressKeys(model, createTextKey('a')).commands).toEqual([]);
  });

  it('is not answered by a key that was pressed before anybody could read it', () => {
    const model = askPermission(busyModel, 'ls');
    expect(handleKey(model, createTextKey('y'), model.now + 100).commands).toEqual([]);
    expect(handleKey(model, createTextKey('y'), model.now + 400).commands).toHaveLength(1);
  });

  it('is not answered by what somebody goes on typing', () => {
    const model = askPermission(pressKeys(busyModel, 'enter', createTextKey('tell me wh')).model, 'ls');
    const more = pressKeys(model, createTextKey('y'));
    expect(more.commands).toEqual([]);
    expect(renderScreenText(more.model)).toContain('tell me why▏');
    expect(renderScreenText(more.model)).toContain('esc leaves the line, then y, n or a');
    expect(pressKeys(more.model, 'escape', createTextKey('y')).commands).toHaveLength(1);
  });

  it('that is called off leaves whoever types where they are', () => {
    const model = askPermission(pressKeys(busyModel, 'enter', createTextKey('tell me')).model, 'ls');
    const calledOff = removeQuestion(model, 7);
    expect(renderScreenText(calledOff)).not.toContain('May this run?');
    expect(pressKeys(calledOff, createTextKey(' more'), 'enter').commands).toEqual([
      { type: 'steer', text: 'tell me more' },
    ]);
  });

  it('is allowed only by whoever has seen the end of it', () => {
    const command = Array.from({ length: 60 }, (_, index) => `echo ${index}`).join('\n');
    const model = askPermission(applyEvents(openTestScreen({ size: tinyScreen }), helloEvent), command);
    expect(renderScreenText(model)).toContain('more rows: page-down, end');
    const early = pressKeys(model, createTextKey('y'));
    expect(early.commands).toEqual([]);
    expect(renderScreenText(early.model)).toContain('read to the end first');
    expect(pressKeys(model, createTextKey('n')).commands).toHaveLength(1);
    const read = pressKeys(model, 'page-down', 'down', 'up', 'end').model;
    expect(renderScreenText(read)).toContain('   │ echo 59');
    expect(pressKeys(read, createTextKey('y')).commands).toEqual(
      createPermissionCommands({ decision: 'allow' }),
    );
  });

  it('comes one after the other', () => {
    const question = { call: { id: 'b', tool: 'write', args: {} }, reason: 'second', always: null };
    const model = addQuestion(askPermission(busyModel, 'ls'), 8, { kind: 'permission', question });
    expect(renderScreenText(model)).not.toContain('second');
  });
});

const createAnswerCommands = (text: string) => [
  { type: 'answer', number: 3, answer: { kind: 'model', answer: text } },
];

describe('a question of the model', () => {
  const model = addQuestion(busyModel, 3, {
    kind: 'model',
    question: { question: 'Which one?', options: ['the left', 'the right'] },
  });

  it('is answered by typing, or by the number of an answer', () => {
    expect(renderScreenText(model)).toContain('  2. the right');
    expect(pressKeys(model, createTextKey('neither'), 'enter').commands).toEqual(
      createAnswerCommands('neither'),
    );
    expect(pressKeys(model, createTextKey('2'), 'enter').commands).toEqual(createAnswerCommands('the right'));
    expect(pressKeys(model, createTextKey('3'), 'enter').commands).toEqual(createAnswerCommands('3'));
  });
});

/** An answer, and what the user says to it. */
const createTalkEvents = (at: number): readonly Event[] => [
  createCallReplyEvent(at, `answer ${at}`),
  { type: 'user-message', at: at + 1, text: `message ${at}` },
];

/** The screen without its first line and its last three. */
const renderBodyText = (model: ScreenModel): string =>
  renderScreenText(model).split('\n').slice(1, -3).join('\n');

describe('the views', () => {
  it('follow each other with tab, and go back with shift-tab and escape', () => {
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

  it('hold still what somebody reads, and follow again at the end', () => {
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

  it('lead from the work back into the transcript', () => {
    expect(pressKeys(busyModel, 'page-up').model.ui.view).toBe('transcript');
  });

  it('open and close what tools said', () => {
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
