import { openQuestion, scrolledQuestion } from './ask.ts';
import { bodySize, questionSize, viewLines } from './frame.ts';
import { edited, emptyInput, typed, type Edit } from './input.ts';
import { entryCount } from './panels/memory-view.ts';
import { questionReach } from './panels/question.ts';
import type { Answer, AskedQuestion } from './questions.ts';
import {
  isTypingNow,
  isWaiting,
  tick,
  viewNames,
  type ScreenModel,
  type Ui,
  type ViewName,
} from './screen.ts';
import { shortId } from '../short-id.ts';

/** A key, or text that was typed or pasted at once. */
export type Key =
  | { readonly name: 'text'; readonly text: string }
  | { readonly name: 'ctrl'; readonly letter: string }
  | {
      readonly name:
        | 'enter'
        | 'escape'
        | 'tab'
        | 'back-tab'
        | 'up'
        | 'down'
        | 'left'
        | 'right'
        | 'page-up'
        | 'page-down'
        | 'home'
        | 'end'
        | 'backspace'
        | 'delete';
    };

/** What a key asks of whoever runs the session. */
export type Command =
  | { readonly type: 'say' | 'steer'; readonly text: string }
  | { readonly type: 'pause' | 'resume' | 'finish' | 'cancel' | 'leave' }
  | { readonly type: 'answer'; readonly number: number; readonly answer: Answer };

export type Pressed = { readonly model: ScreenModel; readonly commands: readonly Command[] };

/** So soon after a question has come up a key was meant for something else. */
const tooSoonMs = 300;
const noticeMs = 4_000;
const leaveMs = 4_000;

/** What becomes of the view when a key is pressed. */
export function press(before: ScreenModel, key: Key, at: number): Pressed {
  const model = tick(before, at);
  const everywhere = viewKey(model, key);
  if (everywhere !== null) return everywhere;
  if (isTypingNow(model) && !isScrolling(key)) return type(model, key);
  const asked = model.ui.view === 'work' ? openQuestion(model) : null;
  if (asked?.kind === 'permission') {
    const decided = decide(model, asked, key);
    if (decided !== null) return decided;
  }
  return command(model, key) ?? just(asked === null ? scroll(model, key) : scrollQuestion(model, asked, key));
}

/** Keys that mean the same whatever is going on; null for any other. */
function viewKey(model: ScreenModel, key: Key): Pressed | null {
  const { view, cardsOpen } = model.ui;
  if (key.name === 'tab') return just(turnTo(model, nextView(view, 1)));
  if (key.name === 'back-tab') return just(turnTo(model, nextView(view, -1)));
  if (key.name !== 'ctrl') return null;
  if (key.letter === 'o') return just(withUi(model, { cardsOpen: !cardsOpen }));
  return key.letter === 'c' ? interrupt(model) : null;
}

function isScrolling({ name }: Key): boolean {
  return name === 'up' || name === 'down' || name === 'page-up' || name === 'page-down';
}

function just(model: ScreenModel): Pressed {
  return { model, commands: [] };
}

function withUi(model: ScreenModel, change: Partial<Ui>): ScreenModel {
  return { ...model, ui: { ...model.ui, ...change } };
}

function noticed(model: ScreenModel, text: string): ScreenModel {
  return withUi(model, { notice: { text, until: model.now + noticeMs } });
}

/** The first time it only says what the second one does. */
function interrupt(model: ScreenModel): Pressed {
  const { about, ui } = model;
  if (about.mode === 'watch' || ui.leavingUntil !== null) return { model, commands: [{ type: 'leave' }] };
  const told = noticed(
    model,
    `Press Ctrl-C again to leave. The session is kept: pawl resume ${shortId(about.id)}`,
  );
  return just(withUi(told, { leavingUntil: model.now + leaveMs }));
}

function nextView(view: ViewName, by: number): ViewName {
  const index = viewNames.indexOf(view) + by + viewNames.length;
  return viewNames[index % viewNames.length] ?? 'work';
}

function turnTo(model: ScreenModel, view: ViewName): ScreenModel {
  return withUi(model, { view, scroll: 0, held: null });
}

/** Keys while a line is written. */
function type(model: ScreenModel, key: Key): Pressed {
  const { ui } = model;
  if (key.name === 'text') return just(withUi(model, { input: typed(ui.input, key.text) }));
  if (key.name === 'enter') return send(model);
  if (key.name === 'escape') {
    const left = withUi(model, { isTyping: false });
    return ui.input.text === '' && isBusy(model) ? cancel(left) : just(left);
  }
  const edit = editOf(key);
  return just(edit === null ? model : withUi(model, { input: edited(ui.input, edit) }));
}

const edits: { readonly [name: string]: Edit } = {
  left: 'left',
  right: 'right',
  home: 'home',
  end: 'end',
  backspace: 'back',
  delete: 'delete',
  'ctrl-a': 'home',
  'ctrl-e': 'end',
  'ctrl-u': 'clear',
  'ctrl-w': 'word-back',
};

function editOf(key: Key): Edit | null {
  const name = key.name === 'ctrl' ? `ctrl-${key.letter}` : key.name;
  return Object.hasOwn(edits, name) ? (edits[name] ?? null) : null;
}

function send(model: ScreenModel): Pressed {
  const asked = openQuestion(model);
  const text = model.ui.input.text.trim();
  const isTurn = isWaiting(model);
  if (text === '')
    return just(isTurn || asked?.kind === 'model' ? model : withUi(model, { isTyping: false }));
  const sent = withUi(model, { input: emptyInput, isTyping: false, view: 'work', scroll: 0, held: null });
  if (asked?.kind === 'model') {
    const answer: Answer = { kind: 'model', answer: chosen(text, asked.question.options) };
    return { model: sent, commands: [{ type: 'answer', number: asked.number, answer }] };
  }
  return { model: sent, commands: [{ type: isTurn ? 'say' : 'steer', text }] };
}

/** A number stands for the option it was shown with. */
function chosen(text: string, options: readonly string[]): string {
  return /^\d{1,2}$/.test(text) ? (options[Number(text) - 1] ?? text) : text;
}

/** Keys that decide about a call; null for a key that does not. */
function decide(model: ScreenModel, asked: AskedQuestion & { kind: 'permission' }, key: Key): Pressed | null {
  if (key.name !== 'text') return null;
  const letter = key.text.toLowerCase();
  if (letter !== 'y' && letter !== 'n' && letter !== 'a') return null;
  if (asked.shownAt === null || model.now - asked.shownAt < tooSoonMs) return just(model);
  const answer = (given: Extract<Answer, { kind: 'permission' }>['answer']): Pressed => ({
    model,
    commands: [{ type: 'answer', number: asked.number, answer: { kind: 'permission', answer: given } }],
  });
  if (letter === 'n') return answer({ decision: 'deny', reason: 'the user said no' });
  if (asked.scroll < questionReach(asked, questionSize(model))) {
    return just(noticed(model, 'There is more of it: read to the end first (page-down, end).'));
  }
  if (letter === 'y') return answer({ decision: 'allow' });
  return asked.question.always === null
    ? just(noticed(model, 'There is no always for this one: press y or n.'))
    : answer({ decision: 'allow', always: true });
}

/** Keys that ask something of the session, or of the view; null for a key that does neither. */
function command(model: ScreenModel, key: Key): Pressed | null {
  const { ui, about } = model;
  const isWatching = about.mode === 'watch';
  if (key.name === 'escape') {
    if (ui.view !== 'work') return just(turnTo(model, 'work'));
    return !isWatching && isBusy(model) ? cancel(model) : just(model);
  }
  const letter = key.name === 'text' ? key.text : '';
  if (letter === '?') return just(turnTo(model, ui.view === 'help' ? 'work' : 'help'));
  if (letter === 'o') return just(withUi(model, { cardsOpen: !ui.cardsOpen }));
  if (!isWatching) return workKey(model, key);
  return letter === 'q' ? { model, commands: [{ type: 'leave' }] } : null;
}

function workKey(model: ScreenModel, key: Key): Pressed | null {
  const { status } = model.session.turn;
  if (key.name === 'enter') return isOver(model) ? null : just(write(model));
  if (key.name !== 'text') return null;
  // Pasted text is meant for the line.
  if (key.text.length > 1 && !isOver(model)) return type(write(model), key);
  if (key.text === 'p' && isBusy(model)) {
    return status === 'paused'
      ? { model: noticed(model, 'Going on.'), commands: [{ type: 'resume' }] }
      : {
          model: noticed(model, 'Pausing: what runs is finished, nothing new begins.'),
          commands: [{ type: 'pause' }],
        };
  }
  if (key.text === 'f' && isBusy(model)) {
    return {
      model: noticed(model, 'Finishing: one last answer from what there is.'),
      commands: [{ type: 'finish' }],
    };
  }
  return null;
}

function write(model: ScreenModel): ScreenModel {
  return withUi(turnTo(model, 'work'), { isTyping: true });
}

function cancel(model: ScreenModel): Pressed {
  return { model: noticed(model, 'Interrupted.'), commands: [{ type: 'cancel' }] };
}

function isOver({ session: { turn } }: ScreenModel): boolean {
  return turn.status === 'halted' || turn.status === 'shuttingDown';
}

function isBusy(model: ScreenModel): boolean {
  return !isOver(model) && !isWaiting(model);
}

function scrollQuestion(model: ScreenModel, asked: AskedQuestion, key: Key): ScreenModel {
  const size = questionSize(model);
  const reach = questionReach(asked, size);
  const wanted = moved(asked.scroll, key, { page: Math.max(1, size.rows - 3), end: reach });
  return wanted === null ? model : scrolledQuestion(model, Math.min(Math.max(0, wanted), reach));
}

/** Reading back holds what is read where it is; at the end it follows again. */
function scroll(model: ScreenModel, key: Key): ScreenModel {
  const { ui } = model;
  const { rows } = bodySize(model);
  const page = Math.max(1, rows - 2);
  if (ui.view === 'work') {
    const isBack = key.name === 'page-up' || key.name === 'up';
    return isBack ? scroll(turnTo(model, 'transcript'), key) : model;
  }
  if (ui.view === 'memory') {
    const last = Math.max(0, entryCount(model) - 1);
    const wanted = moved(Math.min(ui.entry, last), key, { page, end: last });
    return wanted === null ? model : withUi(model, { entry: Math.min(Math.max(0, wanted), last) });
  }
  const reach = Math.max(0, viewLines(model).length - rows);
  if (ui.view === 'help') {
    const wanted = moved(ui.scroll, key, { page, end: reach });
    return wanted === null ? model : withUi(model, { scroll: Math.min(Math.max(0, wanted), reach) });
  }
  // These are read from the end.
  const down = moved(reach - ui.scroll, key, { page, end: reach });
  if (down === null) return model;
  const scrolled = reach - Math.min(Math.max(0, down), reach);
  const held = scrolled === 0 ? null : (ui.held ?? { story: model.story, events: model.events });
  return withUi(model, { scroll: scrolled, held });
}

function moved(
  place: number,
  key: Key,
  { page, end }: { readonly page: number; readonly end: number },
): number | null {
  switch (key.name) {
    case 'up':
      return place - 1;
    case 'down':
      return place + 1;
    case 'page-up':
      return place - page;
    case 'page-down':
      return place + page;
    case 'home':
      return 0;
    case 'end':
      return end;
    default:
      return null;
  }
}
