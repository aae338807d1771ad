import { getOpenQuestion, setQuestionScroll } from './question-state.ts';
import { getBodySize, getQuestionSize, renderViewLines } from './render-frame.ts';
import { applyInputEdit, emptyTextInput, insertText, type InputEdit } from './text-input.ts';
import { countMemoryEntries } from './panels/memory-view.ts';
import { getMaxQuestionScroll } from './panels/question.ts';
import type { QuestionAnswer, PendingQuestion } from './questions.ts';
import {
  isTypingInWorkView,
  isWaitingForUser,
  advanceClock,
  screenViewNames,
  type ScreenModel,
  type ViewState,
  type ScreenViewName,
} from './screen-model.ts';
import { shortenId } from '../short-id.ts';

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
  | { readonly type: 'pause' | 'resume' | 'finish' | 'cancel' | 'leave' }
  | { readonly type: 'answer'; readonly number: number; readonly answer: QuestionAnswer };

export type KeyResult = { readonly model: ScreenModel; readonly commands: readonly ViewCommand[] };

/** Keys pressed this soon after a question appears were meant for something else. */
const questionGraceMs = 300;
const noticeDurationMs = 4_000;
const leaveConfirmMs = 4_000;

/** Returns the next model and the commands of a key press. */
export function handleKey(before: ScreenModel, key: KeyPress, at: number): KeyResult {
  const model = advanceClock(before, at);
  const everywhere = handleViewKey(model, key);
  if (everywhere !== null) return everywhere;
  if (isTypingInWorkView(model) && !isScrollKey(key)) return handleTypingKey(model, key);
  const asked = model.ui.view === 'work' ? getOpenQuestion(model) : null;
  if (asked?.kind === 'permission') {
    const decided = handlePermissionKey(model, asked, key);
    if (decided !== null) return decided;
  }
  return (
    handleCommandKey(model, key) ??
    withoutCommands(asked === null ? scrollView(model, key) : scrollQuestion(model, asked, key))
  );
}

/** Handles keys that work in every state; null for other keys. */
function handleViewKey(model: ScreenModel, key: KeyPress): KeyResult | null {
  const { view, cardsOpen } = model.ui;
  if (key.name === 'tab') return withoutCommands(switchView(model, getNextView(view, 1)));
  if (key.name === 'back-tab') return withoutCommands(switchView(model, getNextView(view, -1)));
  if (key.name !== 'ctrl') return null;
  if (key.letter === 'o') return withoutCommands(updateViewState(model, { cardsOpen: !cardsOpen }));
  return key.letter === 'c' ? requestLeave(model) : null;
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
function requestLeave(model: ScreenModel): KeyResult {
  const { about, ui } = model;
  if (about.mode === 'watch' || ui.leavingUntil !== null) return { model, commands: [{ type: 'leave' }] };
  const told = showNotice(
    model,
    `Press Ctrl-C again to leave. The session is kept: pawl resume ${shortenId(about.id)}`,
  );
  return withoutCommands(updateViewState(told, { leavingUntil: model.now + leaveConfirmMs }));
}

function getNextView(view: ScreenViewName, by: number): ScreenViewName {
  const index = screenViewNames.indexOf(view) + by + screenViewNames.length;
  return screenViewNames[index % screenViewNames.length] ?? 'work';
}

function switchView(model: ScreenModel, view: ScreenViewName): ScreenModel {
  return updateViewState(model, { view, scroll: 0, held: null });
}

/** Handles keys while the user types a line. */
function handleTypingKey(model: ScreenModel, key: KeyPress): KeyResult {
  const { ui } = model;
  if (key.name === 'text')
    return withoutCommands(updateViewState(model, { input: insertText(ui.input, key.text) }));
  if (key.name === 'enter') return sendInput(model);
  if (key.name === 'escape') {
    const left = updateViewState(model, { isTyping: false });
    return ui.input.text === '' && isAgentBusy(model) ? requestCancel(left) : withoutCommands(left);
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
  const asked = getOpenQuestion(model);
  const text = model.ui.input.text.trim();
  const isTurn = isWaitingForUser(model);
  if (text === '')
    return withoutCommands(
      isTurn || asked?.kind === 'model' ? model : updateViewState(model, { isTyping: false }),
    );
  const sent = updateViewState(model, {
    input: emptyTextInput,
    isTyping: false,
    view: 'work',
    scroll: 0,
    held: null,
  });
  if (asked?.kind === 'model') {
    const answer: QuestionAnswer = { kind: 'model', answer: resolveOption(text, asked.question.options) };
    return { model: sent, commands: [{ type: 'answer', number: asked.number, answer }] };
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
  asked: PendingQuestion & { kind: 'permission' },
  key: KeyPress,
): KeyResult | null {
  if (key.name !== 'text') return null;
  const letter = key.text.toLowerCase();
  if (letter !== 'y' && letter !== 'n' && letter !== 'a') return null;
  if (asked.shownAt === null || model.now - asked.shownAt < questionGraceMs) return withoutCommands(model);
  const answer = (given: Extract<QuestionAnswer, { kind: 'permission' }>['answer']): KeyResult => ({
    model,
    commands: [{ type: 'answer', number: asked.number, answer: { kind: 'permission', answer: given } }],
  });
  if (letter === 'n') return answer({ decision: 'deny', reason: 'the user said no' });
  if (asked.scroll < getMaxQuestionScroll(asked, getQuestionSize(model))) {
    return withoutCommands(showNotice(model, 'There is more of it: read to the end first (page-down, end).'));
  }
  if (letter === 'y') return answer({ decision: 'allow' });
  return asked.question.always === null
    ? withoutCommands(showNotice(model, 'There is no always for this one: press y or n.'))
    : answer({ decision: 'allow', always: true });
}

/** Handles keys that control the session or the view; null for other keys. */
function handleCommandKey(model: ScreenModel, key: KeyPress): KeyResult | null {
  const { ui, about } = model;
  const isWatching = about.mode === 'watch';
  if (key.name === 'escape') {
    if (ui.view !== 'work') return withoutCommands(switchView(model, 'work'));
    return !isWatching && isAgentBusy(model) ? requestCancel(model) : withoutCommands(model);
  }
  const letter = key.name === 'text' ? key.text : '';
  if (letter === '?') return withoutCommands(switchView(model, ui.view === 'help' ? 'work' : 'help'));
  if (letter === 'o') return withoutCommands(updateViewState(model, { cardsOpen: !ui.cardsOpen }));
  if (!isWatching) return handleWorkKey(model, key);
  return letter === 'q' ? { model, commands: [{ type: 'leave' }] } : null;
}

function handleWorkKey(model: ScreenModel, key: KeyPress): KeyResult | null {
  const { status } = model.session.turn;
  if (key.name === 'enter') return isSessionClosed(model) ? null : withoutCommands(startTyping(model));
  if (key.name !== 'text') return null;
  // Pasted text belongs in the input line.
  if (key.text.length > 1 && !isSessionClosed(model)) return handleTypingKey(startTyping(model), key);
  if (key.text === 'p' && isAgentBusy(model)) {
    return status === 'paused'
      ? { model: showNotice(model, 'Going on.'), commands: [{ type: 'resume' }] }
      : {
          model: showNotice(model, 'Pausing: what runs is finished, nothing new begins.'),
          commands: [{ type: 'pause' }],
        };
  }
  if (key.text === 'f' && isAgentBusy(model)) {
    return {
      model: showNotice(model, 'Finishing: one last answer from what there is.'),
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

function scrollQuestion(model: ScreenModel, asked: PendingQuestion, key: KeyPress): ScreenModel {
  const size = getQuestionSize(model);
  const reach = getMaxQuestionScroll(asked, size);
  const wanted = movePosition(asked.scroll, key, { page: Math.max(1, size.rows - 3), end: reach });
  return wanted === null ? model : setQuestionScroll(model, Math.min(Math.max(0, wanted), reach));
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
    const wanted = movePosition(Math.min(ui.entry, last), key, { page, end: last });
    return wanted === null ? model : updateViewState(model, { entry: Math.min(Math.max(0, wanted), last) });
  }
  const reach = Math.max(0, renderViewLines(model).length - rows);
  if (ui.view === 'help') {
    const wanted = movePosition(ui.scroll, key, { page, end: reach });
    return wanted === null ? model : updateViewState(model, { scroll: Math.min(Math.max(0, wanted), reach) });
  }
  // These views scroll from the end.
  const down = movePosition(reach - ui.scroll, key, { page, end: reach });
  if (down === null) return model;
  const scrolled = reach - Math.min(Math.max(0, down), reach);
  const held = scrolled === 0 ? null : (ui.held ?? { story: model.story, events: model.events });
  return updateViewState(model, { scroll: scrolled, held });
}

function movePosition(
  place: number,
  key: KeyPress,
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
