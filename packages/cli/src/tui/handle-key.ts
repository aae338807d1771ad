import { acceptsUserMessage, isClosedSession } from '@pawl/core';
import {
  getOpenQuestion,
  getSelectedOption,
  listPermissionOptions,
  parseOptionNumber,
  updateOpenQuestion,
  type QuestionAnswer,
} from './questions.ts';
import {
  addToHistory,
  advanceClock,
  describeStorage,
  isWaitingForUser,
  openCompletion,
  screenViewNames,
  type PendingQuestion,
  type ScreenModel,
  type ScreenViewName,
  type ViewState,
} from './screen-model.ts';
import { listCompletions } from './completion.ts';
import { getQuestionSize, getViewSize, renderViewLines } from './render-frame.ts';
import {
  applyInputEdit,
  emptyTextInput,
  insertText,
  moveInputLine,
  setText,
  type InputEdit,
  type TextInput,
} from './text-input.ts';
import { countMemoryEntries } from './memory-view.ts';
import { getMaxQuestionScroll } from './question-panel.ts';
import { findSlashCommand, parseSlashCommand, type SlashCommand } from './slash-commands.ts';
import { formatUsage } from './status-line.ts';
import { appendRemark } from './live-transcript.ts';

/** A key, or text that was typed or pasted at once. */
export type KeyPress =
  | { readonly name: 'text'; readonly text: string }
  | { readonly name: 'ctrl' | 'alt'; readonly letter: string }
  | { readonly name: NamedKey };

export type NamedKey =
  | 'enter'
  | 'newline'
  | 'escape'
  | 'tab'
  | 'back-tab'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'backspace'
  | 'delete';

/** A command that a key sends to the session. */
export type ViewCommand =
  | { readonly type: 'say' | 'steer'; readonly text: string }
  | { readonly type: 'pause' | 'resume' | 'finish' | 'cancel' | 'quit' }
  /** Open the typed text in the user's editor. */
  | { readonly type: 'edit'; readonly text: string }
  | { readonly type: 'answer'; readonly number: number; readonly answer: QuestionAnswer };

export type KeyResult = { readonly model: ScreenModel; readonly commands: readonly ViewCommand[] };

/** An Enter pressed this soon after a question appears was meant for something else. */
const questionGraceMs = 300;
const noticeDurationMs = 4_000;
const quitConfirmMs = 4_000;

/** Returns the next model and the commands of a key press. Text always goes to the input line. */
export function handleKey(before: ScreenModel, key: KeyPress, at: number): KeyResult {
  const model = advanceClock(before, at);
  if (model.descriptor.mode === 'watch') return handleWatchKey(model, key);
  switch (key.name) {
    case 'text':
      return withoutCommands(changeInput(markWriting(model), insertText(model.ui.input, key.text)));
    case 'newline':
      return withoutCommands(changeInput(model, insertText(model.ui.input, '\n')));
    case 'enter':
      return handleEnter(model);
    case 'escape':
      return handleEscape(model);
    case 'tab':
    case 'back-tab':
      return withoutCommands(completeInput(model) ?? switchView(model, getNextView(model.ui.view, key)));
    case 'ctrl':
      return handleChord(model, key.letter);
    default:
      return withoutCommands(handleEditKey(model, key) ?? handleMovementKey(model, key));
  }
}

/** A session that runs elsewhere can only be looked at. */
function handleWatchKey(model: ScreenModel, key: KeyPress): KeyResult {
  const { view } = model.ui;
  if (key.name === 'tab' || key.name === 'back-tab')
    return withoutCommands(switchView(model, getNextView(view, key)));
  if (key.name === 'ctrl' && key.letter === 'o') return withoutCommands(toggleOutput(model));
  const isQuit = key.name === 'ctrl' && (key.letter === 'c' || key.letter === 'd');
  if (key.name === 'escape' && view !== 'work') return withoutCommands(switchView(model, 'work'));
  if (isQuit || key.name === 'escape') return { model, commands: [{ type: 'quit' }] };
  return withoutCommands(scrollView(model, key));
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

function showRemark(model: ScreenModel, text: string): ScreenModel {
  return { ...switchView(model, 'work'), transcript: appendRemark(model.transcript, 'info', text) };
}

/** An empty input line gives Enter back to the open question. */
function changeInput(model: ScreenModel, input: TextInput): ScreenModel {
  const isAnswering = model.ui.isAnswering || (input.text === '' && getOpenQuestion(model) !== null);
  return updateViewState(model, { input, isAnswering, completion: openCompletion });
}

/** Someone who types in the moment in which a question appears is writing a message, not an answer. */
function markWriting(model: ScreenModel): ScreenModel {
  const pending = getOpenQuestion(model);
  return pending !== null && model.ui.input.text === '' && isTooNew(model, pending)
    ? updateViewState(model, { isAnswering: false })
    : model;
}

function isTooNew(model: ScreenModel, { shownAt }: PendingQuestion): boolean {
  return shownAt === null || model.now - shownAt < questionGraceMs;
}

function getNextView(view: ScreenViewName, { name }: KeyPress): ScreenViewName {
  const by = name === 'back-tab' ? -1 : 1;
  const index = screenViewNames.indexOf(view) + by + screenViewNames.length;
  return screenViewNames[index % screenViewNames.length] ?? 'work';
}

function switchView(model: ScreenModel, view: ScreenViewName): ScreenModel {
  return updateViewState(model, { view, scroll: 0, frozen: null });
}

function toggleOutput(model: ScreenModel): ScreenModel {
  return updateViewState(model, { cardsOpen: !model.ui.cardsOpen });
}

/** Accepts the selected completion; null if there is none. */
function completeInput(model: ScreenModel): ScreenModel | null {
  const completions = listCompletions(model);
  const chosen = completions[Math.min(model.ui.completion.selected, completions.length - 1)];
  if (chosen !== undefined) return changeInput(model, chosen.input);
  // Tab in the middle of a message must not leave it.
  return model.ui.input.text === '' ? null : model;
}

function handleEscape(model: ScreenModel): KeyResult {
  const { ui } = model;
  if (listCompletions(model).length > 0)
    return withoutCommands(updateViewState(model, { completion: { selected: 0, isClosed: true } }));
  if (ui.view !== 'work') return withoutCommands(switchView(model, 'work'));
  const isReason = ui.isAnswering && getOpenQuestion(model) !== null && ui.input.text !== '';
  if (isAgentBusy(model) && !isReason)
    return { model: showNotice(model, 'Interrupted.'), commands: [{ type: 'cancel' }] };
  return withoutCommands(clearInput(model));
}

/** The cleared text stays in the history, so that nothing typed is lost. */
function clearInput(model: ScreenModel): ScreenModel {
  const { input, history } = model.ui;
  const entries = input.text.trim() === '' ? history : addToHistory(history, input.text);
  return updateViewState(changeInput(model, emptyTextInput), { history: entries });
}

const chordEdits: { readonly [letter: string]: InputEdit } = {
  a: 'line-start',
  e: 'line-end',
  b: 'left',
  f: 'right',
  h: 'back',
  u: 'delete-to-line-start',
  k: 'delete-to-line-end',
  w: 'word-back',
};

function handleChord(model: ScreenModel, letter: string): KeyResult {
  const { input } = model.ui;
  const edit = Object.hasOwn(chordEdits, letter) ? chordEdits[letter] : undefined;
  if (edit !== undefined) return withoutCommands(changeInput(model, applyInputEdit(input, edit)));
  switch (letter) {
    case 'c':
      return input.text === '' ? requestQuit(model) : withoutCommands(clearInput(model));
    case 'd':
      return input.text === ''
        ? requestQuit(model)
        : withoutCommands(changeInput(model, applyInputEdit(input, 'delete')));
    case 'g':
      return { model, commands: [{ type: 'edit', text: input.text }] };
    case 'j':
      return withoutCommands(changeInput(model, insertText(input, '\n')));
    case 'n':
      return withoutCommands(browseHistory(model, 1));
    case 'o':
      return withoutCommands(toggleOutput(model));
    case 'p':
      return withoutCommands(browseHistory(model, -1));
    default:
      return withoutCommands(model);
  }
}

/** The first press only explains what the second one does. */
function requestQuit(model: ScreenModel): KeyResult {
  if (model.ui.quitConfirmUntil !== null) return { model, commands: [{ type: 'quit' }] };
  const notified = showNotice(model, `Press Ctrl-C again to quit. ${describeStorage(model.descriptor)}`);
  return withoutCommands(updateViewState(notified, { quitConfirmUntil: model.now + quitConfirmMs }));
}

const keyEdits: { readonly [Name in NamedKey]?: InputEdit } = {
  left: 'left',
  right: 'right',
  'word-left': 'word-left',
  'word-right': 'word-right',
  home: 'line-start',
  end: 'line-end',
  backspace: 'back',
  delete: 'delete',
};

const altEdits: { readonly [letter: string]: InputEdit } = { b: 'word-left', f: 'word-right' };

/** Handles keys that edit the input line; null for other keys. */
function handleEditKey(model: ScreenModel, key: KeyPress): ScreenModel | null {
  const edit = findKeyEdit(key);
  if (edit === null) return null;
  const { input, view } = model.ui;
  // Without text to move in, home and end scroll.
  const isEnd = edit === 'line-start' || edit === 'line-end';
  if (isEnd && input.text === '' && (view !== 'work' || getOpenQuestion(model) !== null)) return null;
  return changeInput(model, applyInputEdit(input, edit));
}

function findKeyEdit(key: KeyPress): InputEdit | null {
  if (key.name === 'alt') return altEdits[key.letter] ?? null;
  return key.name === 'text' || key.name === 'ctrl' ? null : (keyEdits[key.name] ?? null);
}

/** Handles keys that select, scroll or browse. */
function handleMovementKey(model: ScreenModel, key: KeyPress): ScreenModel {
  if (model.ui.view !== 'work') return scrollView(model, key);
  const by = key.name === 'up' ? -1 : key.name === 'down' ? 1 : null;
  const pending = getOpenQuestion(model);
  if (by === null) return pending === null ? scrollView(model, key) : scrollQuestion(model, pending, key);
  const completions = listCompletions(model);
  if (completions.length > 0) return selectCompletion(model, completions.length, by);
  if (pending !== null && model.ui.isAnswering && model.ui.input.text === '')
    return selectOption(model, pending, by);
  return browseHistory(model, by);
}

function selectCompletion(model: ScreenModel, count: number, by: number): ScreenModel {
  const selected = (Math.min(model.ui.completion.selected, count - 1) + by + count) % count;
  return updateViewState(model, { completion: { selected, isClosed: false } });
}

function selectOption(model: ScreenModel, pending: PendingQuestion, by: number): ScreenModel {
  const count =
    pending.kind === 'permission'
      ? listPermissionOptions(pending.question).length
      : pending.question.options.length;
  return count === 0
    ? model
    : updateOpenQuestion(model, { selected: (pending.selected + by + count) % count });
}

/** Moves between the lines of the input, then between sent messages. */
function browseHistory(model: ScreenModel, by: -1 | 1): ScreenModel {
  const { input, history } = model.ui;
  const moved = moveInputLine(input, by);
  if (moved !== null) return updateViewState(model, { input: moved });
  const { entries, draft } = history;
  const current = history.index ?? entries.length;
  const index = current + by;
  if (index < 0 || index > entries.length) return model;
  const isBack = index === entries.length;
  return updateViewState(model, {
    input: setText(isBack ? draft : (entries[index] ?? '')),
    history: {
      entries,
      index: isBack ? null : index,
      draft: history.index === null ? input.text : draft,
    },
    completion: { selected: 0, isClosed: true },
  });
}

function handleEnter(model: ScreenModel): KeyResult {
  const { input, isAnswering } = model.ui;
  // A backslash before Enter starts a new line in every terminal.
  if (input.text.slice(0, input.cursor).endsWith('\\'))
    return withoutCommands(changeInput(model, insertText(applyInputEdit(input, 'back'), '\n')));
  const pending = getOpenQuestion(model);
  const text = input.text.trim();
  const command = parseSlashCommand(text);
  if (command !== null) return runSlashCommand(model, completeCommandName(model, command.name));
  if (pending !== null && isAnswering) return answerQuestion(model, pending);
  if (text === '') return withoutCommands(model);
  if (isClosedSession(model.session))
    return withoutCommands(showNotice(model, 'The session has ended. Ctrl-C quits.'));
  const type = isWaitingForUser(model) ? 'say' : 'steer';
  return { model: finishInput(model), commands: [{ type, text }] };
}

/** Enter in the list of commands chooses the selected one. */
function completeCommandName(model: ScreenModel, typedName: string): string {
  if (findSlashCommand(typedName) !== null) return typedName;
  const completions = listCompletions(model);
  return (
    completions[Math.min(model.ui.completion.selected, completions.length - 1)]?.label.slice(1) ?? typedName
  );
}

/** Empties the input line after its text was used. */
function finishInput(model: ScreenModel): ScreenModel {
  const { history, input } = model.ui;
  return updateViewState(switchView(model, 'work'), {
    input: emptyTextInput,
    history: input.text.trim() === '' ? history : addToHistory(history, input.text.trim()),
    completion: openCompletion,
    isAnswering: getOpenQuestion(model) !== null,
  });
}

function runSlashCommand(model: ScreenModel, name: string): KeyResult {
  const command = findSlashCommand(name);
  if (command === null)
    return withoutCommands(showNotice(model, `There is no command /${name}. /help lists the commands.`));
  const { effect } = command;
  const finished = finishInput(model);
  if (effect.kind === 'view') return withoutCommands(switchView(finished, effect.view));
  return runSessionCommand(finished, effect.kind);
}

function runSessionCommand(
  model: ScreenModel,
  kind: Exclude<SlashCommand['effect']['kind'], 'view'>,
): KeyResult {
  const isPaused = model.session.turn.status === 'paused';
  switch (kind) {
    case 'pause':
      return isAgentBusy(model) && !isPaused
        ? {
            model: showNotice(model, 'Pausing: running calls finish, and no new ones start.'),
            commands: [{ type: 'pause' }],
          }
        : withoutCommands(showNotice(model, 'There is nothing to pause.'));
    case 'continue':
      return continueSession(model);
    case 'init':
      return isWaitingForUser(model)
        ? { model, commands: [{ type: 'say', text: initMessage }] }
        : withoutCommands(
            showNotice(model, 'The agent takes no message now. Use /init when it waits for one.'),
          );
    case 'finish':
      return isAgentBusy(model)
        ? {
            model: showNotice(model, 'Finishing: the agent gives a final answer from what it has.'),
            commands: [{ type: 'finish' }],
          }
        : withoutCommands(showNotice(model, 'There is no work to finish.'));
    case 'cost':
      return withoutCommands(showRemark(model, formatUsage(model)));
    case 'output':
      return withoutCommands(toggleOutput(model));
    case 'quit':
      return { model, commands: [{ type: 'quit' }] };
    default:
      return kind satisfies never;
  }
}

const initMessage = `Write the file AGENTS.md in this folder, for coding agents that work on the project. First inspect the project: its README, manifests, configuration, CI files, and the layout of its folders.
State what an agent cannot see at a glance: the commands to build, check and test (all tests, and a single one), the conventions of the code and of commits, the layout, and what must not be changed. Write only what you found in the files, at most 100 lines of Markdown, with no general advice.
If AGENTS.md exists, read it, keep what is still true, and improve it. If there is a CLAUDE.md or another file with rules for agents, take over what it says.`;

/** Continues after a pause, or after a stop of the governor. */
function continueSession(model: ScreenModel): KeyResult {
  const { session } = model;
  if (session.turn.status === 'paused')
    return { model: showNotice(model, 'Continuing.'), commands: [{ type: 'resume' }] };
  return session.turn.status === 'halted' && acceptsUserMessage(session)
    ? { model, commands: [{ type: 'say', text: 'Continue.' }] }
    : withoutCommands(showNotice(model, 'There is nothing to continue.'));
}

function answerQuestion(model: ScreenModel, pending: PendingQuestion): KeyResult {
  if (isTooNew(model, pending)) return withoutCommands(model);
  const { text } = model.ui.input;
  const answer =
    pending.kind === 'permission'
      ? answerPermission(model, pending)
      : answerModel(text.trim(), pending.selected, pending.question.options);
  if (typeof answer === 'string') return withoutCommands(showNotice(model, answer));
  return {
    model: finishInput(model),
    commands: [{ type: 'answer', number: pending.number, answer }],
  };
}

/** Returns the answer, or what the user must do first. */
function answerPermission(
  model: ScreenModel,
  pending: PendingQuestion & { readonly kind: 'permission' },
): QuestionAnswer | string {
  const { option, reason } = getSelectedOption(pending, model.ui.input.text);
  if (option.kind === 'deny')
    return {
      kind: 'permission',
      answer: {
        decision: 'deny',
        reason: reason === null ? 'the user said no' : `the user said no: ${reason}`,
      },
    };
  if (pending.scroll < getMaxQuestionScroll(pending, getQuestionSize(model)))
    return 'Scroll to the end of the call first (page-down, end).';
  return {
    kind: 'permission',
    answer: option.kind === 'always' ? { decision: 'allow', always: true } : { decision: 'allow' },
  };
}

/** The number of an option stands for its text. */
function answerModel(text: string, selected: number, options: readonly string[]): QuestionAnswer | string {
  const index = text === '' ? selected : parseOptionNumber(text, options.length);
  const answer = (index === null ? undefined : options[index]) ?? text;
  return answer === '' ? 'Type an answer first.' : { kind: 'model', answer };
}

function isAgentBusy(model: ScreenModel): boolean {
  return !isClosedSession(model.session) && !isWaitingForUser(model);
}

function scrollQuestion(model: ScreenModel, pending: PendingQuestion, key: KeyPress): ScreenModel {
  const size = getQuestionSize(model);
  const maxScroll = getMaxQuestionScroll(pending, size);
  const target = movePosition(pending.scroll, key, { page: Math.max(1, size.rows - 3), end: maxScroll });
  return target === null
    ? model
    : updateOpenQuestion(model, { scroll: Math.min(Math.max(0, target), maxScroll) });
}

function scrollView(model: ScreenModel, key: KeyPress): ScreenModel {
  const { ui } = model;
  switch (ui.view) {
    case 'work': {
      const isBack = key.name === 'page-up' || (key.name === 'up' && model.descriptor.mode === 'watch');
      return isBack ? scrollView(switchView(model, 'transcript'), key) : model;
    }
    case 'memory':
      return selectMemoryEntry(model, key);
    case 'transcript':
    case 'events':
      return scrollBack(model, key);
    case 'diff':
    case 'chart':
    case 'governor':
    case 'help':
      return scrollDown(model, key);
    default:
      return ui.view satisfies never;
  }
}

function getScrollRange(model: ScreenModel): { readonly page: number; readonly end: number } {
  const { rows } = getViewSize(model);
  return { page: Math.max(1, rows - 2), end: Math.max(0, renderViewLines(model).length - rows) };
}

function selectMemoryEntry(model: ScreenModel, key: KeyPress): ScreenModel {
  const end = Math.max(0, countMemoryEntries(model) - 1);
  const { page } = getScrollRange(model);
  const target = movePosition(Math.min(model.ui.selectedEntry, end), key, { page, end });
  return target === null
    ? model
    : updateViewState(model, { selectedEntry: Math.min(Math.max(0, target), end) });
}

function scrollDown(model: ScreenModel, key: KeyPress): ScreenModel {
  const range = getScrollRange(model);
  const target = movePosition(model.ui.scroll, key, range);
  return target === null
    ? model
    : updateViewState(model, { scroll: Math.min(Math.max(0, target), range.end) });
}

/** Scrolls from the end. Scrolling back freezes the content; at the end the view follows new content again. */
function scrollBack(model: ScreenModel, key: KeyPress): ScreenModel {
  const { ui } = model;
  const range = getScrollRange(model);
  const down = movePosition(range.end - ui.scroll, key, range);
  if (down === null) return model;
  const scroll = range.end - Math.min(Math.max(0, down), range.end);
  const frozen = scroll === 0 ? null : (ui.frozen ?? { transcript: model.transcript, events: model.events });
  return updateViewState(model, { scroll, frozen });
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
