import type { Event } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { withoutQuestion, withQuestion } from '../../src/tui/ask.ts';
import { press } from '../../src/tui/keys.ts';
import type { ScreenModel } from '../../src/tui/screen.ts';
import { after, asks, ctrlC, hello, opened, pressed, screen, tiny, typed } from './fixtures/shown.ts';

const busy = after(opened(), hello);
const waiting = opened();

describe('typing', () => {
  it('says what was typed when the agent waits, and steers while it works', () => {
    expect(pressed(waiting, typed('p'), typed('lease'), 'enter').commands).toEqual([
      { type: 'say', text: 'please' },
    ]);
    expect(pressed(busy, 'enter', typed('faster'), 'enter').commands).toEqual([
      { type: 'steer', text: 'faster' },
    ]);
  });

  it('shows what has been said and is not heard yet, until it is', () => {
    const steered: Event = { type: 'steered', at: 2_000, text: 'faster' };
    const said = after(busy, steered);
    expect(screen(said)).toContain(' › faster  waits to be heard');
    expect(screen(after(said, { ...steered, text: 'and shorter' }))).toContain(
      ' › faster  and 1 more waits to be heard',
    );
    const heard = after(said, asks(3_000, 'Done.'));
    expect(screen(heard)).not.toContain('to be heard');
    expect(screen(heard)).toContain(' › faster\n');
  });

  it('sends nothing for an empty line, and keeps a line that was left', () => {
    expect(pressed(busy, 'enter', typed('  '), 'enter').commands).toEqual([]);
    const left = pressed(busy, 'enter', typed('half a '), 'escape');
    expect(left.commands).toEqual([]);
    expect(screen(left.model)).toContain(' › half a');
    expect(pressed(left.model, 'enter', typed('line'), 'enter').commands).toEqual([
      { type: 'steer', text: 'half a line' },
    ]);
  });

  it('takes pasted text as text, line breaks and all', () => {
    const { model, commands } = pressed(busy, typed('one\r\ntwo'));
    expect(commands).toEqual([]);
    expect(screen(model)).toContain(' ↳ one⏎two▏');
    expect(pressed(model, 'enter').commands).toEqual([{ type: 'steer', text: 'one\ntwo' }]);
  });

  it('shows the part of a long line that the cursor is in', () => {
    const { model } = pressed(waiting, typed(`${'a'.repeat(100)}${'漢'.repeat(30)}end`));
    const row = screen(model).split('\n').at(-2);
    expect(row).toMatch(/^ › …a*漢{30}end▏$/);
  });
});

describe('while the agent works', () => {
  it('pauses and goes on with p, finishes with f, interrupts with escape', () => {
    expect(pressed(busy, typed('p')).commands).toEqual([{ type: 'pause' }]);
    const paused = after(busy, { type: 'pause-requested', at: 1_500, reason: 'asked' });
    expect(pressed(paused, typed('p')).commands).toEqual([{ type: 'resume' }]);
    expect(pressed(busy, typed('f')).commands).toEqual([{ type: 'finish' }]);
    expect(pressed(busy, 'escape').commands).toEqual([{ type: 'cancel' }]);
  });

  it('asks nothing of a session that waits or has ended', () => {
    const idle = pressed(waiting, 'escape').model;
    expect(pressed(idle, typed('f'), typed('p'), 'escape').commands).toEqual([]);
    const ended = after(busy, { type: 'halt-requested', at: 2_000, reason: 'enough' });
    expect(pressed(ended, typed('p'), typed('f'), 'escape', 'enter', typed('x')).commands).toEqual([]);
  });

  it('leaves with a second Ctrl-C, and says first what that means', () => {
    const once = pressed(busy, ctrlC);
    expect(once.commands).toEqual([]);
    expect(screen(once.model)).toContain(
      'Press Ctrl-C again to leave. The session is kept: pawl resume session-',
    );
    expect(pressed(once.model, ctrlC).commands).toEqual([{ type: 'leave' }]);
    const late = press(once.model, ctrlC, once.model.now + 60_000);
    expect(late.commands).toEqual([]);
  });

  it('only looks on in a session that runs elsewhere', () => {
    const watching = after(opened({ mode: 'watch' }), hello);
    expect(
      pressed(watching, typed('p'), typed('f'), 'escape', 'enter', typed('x'), 'enter').commands,
    ).toEqual([]);
    expect(pressed(watching, typed('q')).commands).toEqual([{ type: 'leave' }]);
    expect(pressed(watching, ctrlC).commands).toEqual([{ type: 'leave' }]);
    expect(screen(watching)).toContain('watching; the session runs elsewhere');
  });
});

function asked(model: ScreenModel, command: string, always: string | null = 'allow shell ls'): ScreenModel {
  const call = { id: 'a', tool: 'shell', args: { command } };
  return withQuestion(model, 7, { kind: 'permission', question: { call, why: 'it changes things', always } });
}

const answer = (given: object) => [
  { type: 'answer', number: 7, answer: { kind: 'permission', answer: given } },
];

describe('a question of permission', () => {
  it('shows the whole call, why it is asked, and what always would mean', () => {
    const text = screen(asked(busy, 'rm -rf build\necho done'));
    for (const row of [' shell', ' command:', '   │ rm -rf build', '   │ echo done', ' it changes things']) {
      expect(text).toContain(`${row}\n`);
    }
    expect(text).toContain(' always means: allow shell ls\n');
    expect(text).toContain(' y yes   n no   a always   esc interrupt\n');
  });

  it('is answered with y, n and a', () => {
    const model = asked(busy, 'ls');
    expect(pressed(model, typed('y')).commands).toEqual(answer({ decision: 'allow' }));
    expect(pressed(model, typed('n')).commands).toEqual(
      answer({ decision: 'deny', reason: 'the user said no' }),
    );
    expect(pressed(model, typed('a')).commands).toEqual(answer({ decision: 'allow', always: true }));
    expect(pressed(model, 'escape').commands).toEqual([{ type: 'cancel' }]);
  });

  it('cannot be answered with always where there is no such rule', () => {
    const model = asked(busy, 'ls', null);
    expect(screen(model)).toContain(' y yes   n no   esc interrupt');
    expect(pressed(model, typed('a')).commands).toEqual([]);
  });

  it('is not answered by a key that was pressed before anybody could read it', () => {
    const model = asked(busy, 'ls');
    expect(press(model, typed('y'), model.now + 100).commands).toEqual([]);
    expect(press(model, typed('y'), model.now + 400).commands).toHaveLength(1);
  });

  it('is not answered by what somebody goes on typing', () => {
    const model = asked(pressed(busy, 'enter', typed('tell me wh')).model, 'ls');
    const more = pressed(model, typed('y'));
    expect(more.commands).toEqual([]);
    expect(screen(more.model)).toContain('tell me why▏');
    expect(screen(more.model)).toContain('esc leaves the line, then y, n or a');
    expect(pressed(more.model, 'escape', typed('y')).commands).toHaveLength(1);
  });

  it('that is called off leaves whoever types where they are', () => {
    const model = asked(pressed(busy, 'enter', typed('tell me')).model, 'ls');
    const calledOff = withoutQuestion(model, 7);
    expect(screen(calledOff)).not.toContain('May this run?');
    expect(pressed(calledOff, typed(' more'), 'enter').commands).toEqual([
      { type: 'steer', text: 'tell me more' },
    ]);
  });

  it('is allowed only by whoever has seen the end of it', () => {
    const command = Array.from({ length: 60 }, (_, index) => `echo ${index}`).join('\n');
    const model = asked(after(opened({ size: tiny }), hello), command);
    expect(screen(model)).toContain('more rows: page-down, end');
    const early = pressed(model, typed('y'));
    expect(early.commands).toEqual([]);
    expect(screen(early.model)).toContain('read to the end first');
    expect(pressed(model, typed('n')).commands).toHaveLength(1);
    const read = pressed(model, 'page-down', 'down', 'up', 'end').model;
    expect(screen(read)).toContain('   │ echo 59');
    expect(pressed(read, typed('y')).commands).toEqual(answer({ decision: 'allow' }));
  });

  it('comes one after the other', () => {
    const question = { call: { id: 'b', tool: 'write', args: {} }, why: 'second', always: null };
    const model = withQuestion(asked(busy, 'ls'), 8, { kind: 'permission', question });
    expect(screen(model)).not.toContain('second');
  });
});

const given = (text: string) => [{ type: 'answer', number: 3, answer: { kind: 'model', answer: text } }];

describe('a question of the model', () => {
  const model = withQuestion(busy, 3, {
    kind: 'model',
    question: { question: 'Which one?', options: ['the left', 'the right'] },
  });

  it('is answered by typing, or by the number of an answer', () => {
    expect(screen(model)).toContain('  2. the right');
    expect(pressed(model, typed('neither'), 'enter').commands).toEqual(given('neither'));
    expect(pressed(model, typed('2'), 'enter').commands).toEqual(given('the right'));
    expect(pressed(model, typed('3'), 'enter').commands).toEqual(given('3'));
  });
});

/** An answer, and what the user says to it. */
const talk = (at: number): readonly Event[] => [
  asks(at, `answer ${at}`),
  { type: 'user-message', at: at + 1, text: `message ${at}` },
];

/** The screen without its first line and its last three. */
const body = (model: ScreenModel): string => screen(model).split('\n').slice(1, -3).join('\n');

describe('the views', () => {
  it('follow each other with tab, and go back with shift-tab and escape', () => {
    const names = [0, 1, 2, 3, 4].map(
      (times) => pressed(busy, ...Array<'tab'>(times).fill('tab')).model.ui.view,
    );
    expect(names).toEqual(['work', 'transcript', 'events', 'memory', 'help']);
    expect(pressed(busy, 'back-tab').model.ui.view).toBe('help');
    expect(pressed(busy, 'tab', 'escape')).toMatchObject({ model: { ui: { view: 'work' } }, commands: [] });
    expect(pressed(busy, typed('?')).model.ui.view).toBe('help');
  });

  it('hold still what somebody reads, and follow again at the end', () => {
    const many = after(busy, ...Array.from({ length: 40 }, (_, index) => talk(10 * index)).flat());
    for (const tabs of [['tab'], ['tab', 'tab']] as const) {
      const back = pressed(many, ...tabs, 'page-up').model;
      const later = after(back, ...talk(5_000));
      expect(body(later)).toBe(body(back));
      expect(body(later)).not.toContain('5000');
      expect(body(pressed(later, 'page-down').model)).toContain('message 5000');
      expect(body(pressed(back, 'home').model)).not.toContain('message 390');
    }
  });

  it('lead from the work back into the transcript', () => {
    expect(pressed(busy, 'page-up').model.ui.view).toBe('transcript');
  });

  it('open and close what tools said', () => {
    const done = after(
      busy,
      asks(2_000, '', ['a', 'read', { path: 'a.md' }]),
      { type: 'tool-started', at: 2_000, callId: 'a' },
      { type: 'tool-finished', at: 2_100, callId: 'a', outcome: { ok: true, output: 'the content' } },
    );
    expect(screen(done)).not.toContain('the content');
    const open = pressed(done, typed('o')).model;
    expect(screen(open)).toContain('     │ the content');
    expect(screen(pressed(open, typed('o')).model)).not.toContain('the content');
  });
});
