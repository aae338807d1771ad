import { getOpenQuestion, setQuestionScroll, type QuestionAnswer } from './questions.ts';
import {
  isTypingInWorkView,
  isWaitingForUser,
  advanceClock,
  screenViewNames,
  type PendingQuestion,
  type ScreenModel,
  type ViewState,
  type ScreenViewName,
} from './screen-model.ts';
import { getBodySize, getQuestionSize, renderViewLines } from './render-frame.ts';
import { applyInputEdit, emptyTextInput, insertText, type InputEdit } from './text-input.ts';
import { countMemoryEntries } from './memory-view.ts';
import { getMaxQuestionScroll } from './question-panel.ts';
import { shortenId } from '../output/format-number.ts';

/** A key, or text that was typed or pasted at once. */
export type KeyPress =
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

/** A command that a key sends to the session. */
export type ViewCommand =
  | { readonly type: 'say' | 'steer'; readonly text: string }
  | { readonly type: 'pause' | 'resume' | 'finish' | 'cancel' | 'quit' }
  | { readonly type: 'answer'; readonly number: number; readonly answer: QuestionAnswer };

export type KeyResult = { readonly model: ScreenModel; readonly commands: readonly ViewCommand[] };

/** Keys pressed this soon after a question appears were meant for something else. */
const questionGraceMs = 300;
const noticeDurationMs = 4_000;
const quitConfirmMs = 4_000;

/** Returns the next model and the commands of a key press. */
export function handleKey(before: ScreenModel, key: KeyPress, at: number): KeyResult {
  const model = advanceClock(before, at);
  const viewResult = handleViewKey(model, key);
  if (viewResult !== null) return viewResult;
  if (isTypingInWorkView(model) && !isScrollKey(key)) return handleTypingKey(model, key);
  const pending = model.ui.view === 'work' ? getOpenQuestion(model) : null;
  if (pending?.kind === 'permission') {
    const permissionResult = handlePermissionKey(model, pending, key);
    if (permissionResult !== null) return permissionResult;
  }
  return (
    handleCommandKey(model, key) ??
    withoutCommands(pending === null ? scrollView(model, key) : scrollQuestion(model, pending, key))
  );
}

/** Handles keys that work in every state; null for other keys. */
function handleViewKey(model: ScreenModel, key: KeyPress): KeyResult | null {
  const { view, cardsOpen } = model.ui;
  if (key.name === 'tab') return withoutCommands(switchView(model, getNextView(view, 1)));
  if (key.name === 'back-tab') return withoutCommands(switchView(model, getNextView(view, -1)));
  if (key.name !== 'ctrl') return null;
  if (key.letter === 'o') return withoutCommands(updateViewState(model, { cardsOpen: !cardsOpen }));
  return key.letter === 'c' ? requestQuit(model) : null;
}

function isScrollKey({ name }: KeyPress): boolean {
  return name === 'up' || name === 'down' || name === 'page-up' || name === 'page-down';
}

function withoutCommands(model: ScreenModel): KeyResult {
  return { model, commands: [] };
}

function updateViewState(model: ScreenModel, change: Partial<ViewState>): ScreenModel {
  return { ...model, ui: { ...model.ui, ...change } };
}

function showNotice(model: ScreenModel, text: string): ScreenModel {
  return updateViewState(model, { notice: { text, until: model.now + noticeDurationMs } });
}

/** The first press only explains what the second one does. */
function requestQuit(model: ScreenModel): KeyResult {
  const { descriptor, ui } = model;
  if (descriptor.mode === 'watch' || ui.quitConfirmUntil !== null)
    return { model, commands: [{ type: 'quit' }] };
  const notified = showNotice(
    model,
    `Press Ctrl-C again to quit. The session is saved. Resume it with: pawl resume ${shortenId(descriptor.id)}`,
  );
  return withoutCommands(updateViewState(notified, { quitConfirmUntil: model.now + quitConfirmMs }));
}

function getNextView(view: ScreenViewName, by: number): ScreenViewName {
  const index = screenViewNames.indexOf(view) + by + screenViewNames.length;
  return screenViewNames[index % screenViewNames.length] ?? 'work';
}

function switchView(model: ScreenModel, view: ScreenViewName): ScreenModel {
  return updateViewState(model, { view, scroll: 0, frozen: null });
}

/** Handles keys while the user types a line. */
function handleTypingKey(model: ScreenModel, key: KeyPress): KeyResult {
  const { ui } = model;
  if (key.name === 'text')
    return withoutCommands(updateViewState(model, { input: insertText(ui.input, key.text) }));
  if (key.name === 'enter') return sendInput(model);
  if (key.name === 'escape') {
    const stopped = updateViewState(model, { isTyping: false });
    return ui.input.text === '' && isAgentBusy(model) ? requestCancel(stopped) : withoutCommands(stopped);
  }
  const edit = getKeyEdit(key);
  return withoutCommands(
    edit === null ? model : updateViewState(model, { input: applyInputEdit(ui.input, edit) }),
  );
}

const keyEdits: { readonly [name: string]: InputEdit } = {
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

function getKeyEdit(key: KeyPress): InputEdit | null {
  const name = key.name === 'ctrl' ? `ctrl-${key.letter}` : key.name;
  return Object.hasOwn(keyEdits, name) ? (keyEdits[name] ?? null) : null;
}

function sendInput(model: ScreenModel): KeyResult {
  const pending = getOpenQuestion(model);
  const text = model.ui.input.text.trim();
  const isTurn = isWaitingForUser(model);
  if (text === '')
    return withoutCommands(
      isTurn || pending?.kind === 'model' ? model : updateViewState(model, { isTyping: false }),
    );
  const sent = updateViewState(model, {
    input: emptyTextInput,
    isTyping: false,
    view: 'work',
    scroll: 0,
    frozen: null,
  });
  if (pending?.kind === 'model') {
    const answer: QuestionAnswer = { kind: 'model', answer: resolveOption(text, pending.question.options) };
    return { model: sent, commands: [{ type: 'answer', number: pending.number, answer }] };
  }
  return { model: sent, commands: [{ type: isTurn ? 'say' : 'steer', text }] };
}

/** A number selects the option shown with it. */
function resolveOption(text: string, options: readonly string[]): string {
  return /^\d{1,2}$/.test(text) ? (options[Number(text) - 1] ?? text) : text;
}

/** Handles keys that decide on a tool call; null for other keys. */
function handlePermissionKey(
  model: ScreenModel,
  pending: PendingQuestion & { kind: 'permission' },
  key: KeyPress,
): KeyResult | null {
  if (key.name !== 'text') return null;
  const letter = key.text.toLowerCase();
  if (letter !== 'y' && letter !== 'n' && letter !== 'a') return null;
  if (pending.shownAt === null || model.now - pending.shownAt < questionGraceMs)
    return withoutCommands(model);
  const answer = (permission: Extract<QuestionAnswer, { kind: 'permission' }>['answer']): KeyResult => ({
    model,
    commands: [
      { type: 'answer', number: pending.number, answer: { kind: 'permission', answer: permission } },
    ],
  });
  if (letter === 'n') return answer({ decision: 'deny', reason: 'the user said no' });
  if (pending.scroll < getMaxQuestionScroll(pending, getQuestionSize(model))) {
    return withoutCommands(showNotice(model, 'Scroll to the end of the call first (page-down, end).'));
  }
  if (letter === 'y') return answer({ decision: 'allow' });
  return pending.question.always === null
    ? withoutCommands(showNotice(model, 'This call cannot always be allowed: press y or n.'))
    : answer({ decision: 'allow', always: true });
}

/** Handles keys that control the session or the view; null for other keys. */
function handleCommandKey(model: ScreenModel, key: KeyPress): KeyResult | null {
  const { ui, descriptor } = model;
  const isWatching = descriptor.mode === 'watch';
  if (key.name === 'escape') {
    if (ui.view !== 'work') return withoutCommands(switchView(model, 'work'));
    return !isWatching && isAgentBusy(model) ? requestCancel(model) : withoutCommands(model);
  }
  const letter = key.name === 'text' ? key.text : '';
  if (letter === '?') return withoutCommands(switchView(model, ui.view === 'help' ? 'work' : 'help'));
  if (letter === 'o') return withoutCommands(updateViewState(model, { cardsOpen: !ui.cardsOpen }));
  if (!isWatching) return handleWorkKey(model, key);
  return letter === 'q' ? { model, commands: [{ type: 'quit' }] } : null;
}

function handleWorkKey(model: ScreenModel, key: KeyPress): KeyResult | null {
  const { status } = model.session.turn;
  if (key.name === 'enter') return isSessionClosed(model) ? null : withoutCommands(startTyping(model));
  if (key.name !== 'text') return null;
  // Pasted text belongs in the input line.
  if (key.text.length > 1 && !isSessionClosed(model)) return handleTypingKey(startTyping(model), key);
  if (key.text === 'p' && isAgentBusy(model)) {
    return status === 'paused'
      ? { model: showNotice(model, 'Resumed.'), commands: [{ type: 'resume' }] }
      : {
          model: showNotice(model, 'Pausing: running calls finish, and no new ones start.'),
          commands: [{ type: 'pause' }],
        };
  }
  if (key.text === 'f' && isAgentBusy(model)) {
    return {
      model: showNotice(model, 'Finishing: the agent gives a final answer from what it has.'),
      commands: [{ type: 'finish' }],
    };
  }
  return null;
}

function startTyping(model: ScreenModel): ScreenModel {
  return updateViewState(switchView(model, 'work'), { isTyping: true });
}

function requestCancel(model: ScreenModel): KeyResult {
  return { model: showNotice(model, 'Interrupted.'), commands: [{ type: 'cancel' }] };
}

function isSessionClosed({ session: { turn } }: ScreenModel): boolean {
  return turn.status === 'halted' || turn.status === 'shuttingDown';
}

function isAgentBusy(model: ScreenModel): boolean {
  return !isSessionClosed(model) && !isWaitingForUser(model);
}

function scrollQuestion(model: ScreenModel, pending: PendingQuestion, key: KeyPress): ScreenModel {
  const size = getQuestionSize(model);
  const maxScroll = getMaxQuestionScroll(pending, size);
  const target = movePosition(pending.scroll, key, { page: Math.max(1, size.rows - 3), end: maxScroll });
  return target === null ? model : setQuestionScroll(model, Math.min(Math.max(0, target), maxScroll));
}

/** Scrolling back freezes the content; at the end the view follows new content again. */
function scrollView(model: ScreenModel, key: KeyPress): ScreenModel {
  const { ui } = model;
  const { rows } = getBodySize(model);
  const page = Math.max(1, rows - 2);
  if (ui.view === 'work') {
    const isBack = key.name === 'page-up' || key.name === 'up';
    return isBack ? scrollView(switchView(model, 'transcript'), key) : model;
  }
  if (ui.view === 'memory') {
    const last = Math.max(0, countMemoryEntries(model) - 1);
    const target = movePosition(Math.min(ui.selectedEntry, last), key, { page, end: last });
    return target === null
      ? model
      : updateViewState(model, { selectedEntry: Math.min(Math.max(0, target), last) });
  }
  const maxScroll = Math.max(0, renderViewLines(model).length - rows);
  if (ui.view === 'help') {
    const target = movePosition(ui.scroll, key, { page, end: maxScroll });
    return target === null
      ? model
      : updateViewState(model, { scroll: Math.min(Math.max(0, target), maxScroll) });
  }
  // These views scroll from the end.
  const down = movePosition(maxScroll - ui.scroll, key, { page, end: maxScroll });
  if (down === null) return model;
  const scrolled = maxScroll - Math.min(Math.max(0, down), maxScroll);
  const frozen =
    scrolled === 0 ? null : (ui.frozen ?? { transcript: model.transcript, events: model.events });
  return updateViewState(model, { scroll: scrolled, frozen });
}

function movePosition(
  position: number,
  key: KeyPress,
  { page, end }: { readonly page: number; readonly end: number },
): number | null {
  switch (key.name) {
    case 'up':
      return position - 1;
    case 'down':
      return position + 1;
    case 'page-up':
      return position - page;
    case 'page-down':
      return position + page;
    case 'home':
      return 0;
    case 'end':
      return end;
    default:
      return null;
  }
}
