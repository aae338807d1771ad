import {
  acceptsUserMessage,
  getConversation,
  iterateItems,
  type Session,
  type TurnStatus,
  type Verdict,
} from '@pawl/core';
import {
  addEventTotals,
  emptyTotals,
  listTranscriptItems,
  restingStatuses,
  toReplayedStep,
  type TranscriptItem,
} from '@pawl/core/projections';
import type { StepResult, StoreOutage } from '@pawl/runtime';
import { parseDiffLines } from '../output/diff-lines.ts';
import { shortenId } from '../output/format-number.ts';
import { appendLoggedEvent, type LoggedEvent } from './logged-events.ts';
import { emptyTextInput, setText, type TextInput } from './text-input.ts';
import {
  emptyTranscript,
  appendRemark,
  restoreTranscript,
  updateTranscript,
  type LiveTranscript,
} from './live-transcript.ts';
import type { PermissionQuestion } from '@pawl/runtime/permission';
import type { UserQuestion } from '@pawl/runtime/tools';

export const screenViewNames = [
  'work',
  'transcript',
  'diff',
  'chart',
  'governor',
  'memory',
  'events',
  'help',
] as const;
export type ScreenViewName = (typeof screenViewNames)[number];

export type ScreenSize = { readonly columns: number; readonly rows: number };

/**
 * The complete state of the live view, derived from step results, key presses and time. It is plain data, and bounded
 * for sessions of any length; the session itself is only referenced.
 */
export type ScreenModel = {
  readonly descriptor: SessionDescriptor;
  readonly size: ScreenSize;
  /** The latest known time. */
  readonly now: number;
  readonly session: Session;
  readonly transcript: LiveTranscript;
  readonly events: readonly LoggedEvent[];
  /** Turn states since the last user message, newest last. */
  readonly visitedStatuses: readonly TurnStatus[];
  /** `latest` is the latest verdict since the last user message. */
  readonly verdicts: { readonly count: number; readonly latest: Verdict | null };
  readonly usage: SessionUsage;
  /** The changes to files since the last user message, oldest first. */
  readonly changes: readonly RecordedChange[];
  readonly storeOutage: StoreOutage | null;
  /** Steering messages that the agent has not received yet. */
  readonly pendingSteering: readonly string[];
  readonly questions: readonly PendingQuestion[];
  readonly ui: ViewState;
};

export type SessionDescriptor = {
  readonly id: string;
  readonly folder: string;
  readonly model: string;
  /** `watch` is read-only. */
  readonly mode: 'run' | 'chat' | 'watch';
  /** Whether the session can be resumed after the end of the process. */
  readonly isStored: boolean;
  /** The files of the folder, for completion. */
  readonly paths: readonly string[];
};

/** A change to a file as a unified diff. */
export type RecordedChange = { readonly path: string; readonly diff: string };

export type SessionUsage = {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
};

/** The state of the view that keys control. */
export type ViewState = {
  readonly view: ScreenViewName;
  /** Rows scrolled from the end or from the start, depending on the view. */
  readonly scroll: number;
  /** The frozen content while the user scrolls back. */
  readonly frozen: { readonly transcript: LiveTranscript; readonly events: readonly LoggedEvent[] } | null;
  /** The selected entry of the memory view. */
  readonly selectedEntry: number;
  readonly input: TextInput;
  readonly history: InputHistory;
  readonly completion: CompletionState;
  /**
   * Whether Enter answers the open question. It does not while the user writes a message that was begun before the
   * question appeared.
   */
  readonly isAnswering: boolean;
  /** Whether tool cards show their output. */
  readonly cardsOpen: boolean;
  readonly notice: { readonly text: string; readonly until: number } | null;
  /** The time until which another Ctrl-C quits; null if none was pressed. */
  readonly quitConfirmUntil: number | null;
};

/** Sent messages. While the user browses them, `index` is the shown one, and `draft` is what was typed before. */
export type InputHistory = {
  readonly entries: readonly string[];
  readonly index: number | null;
  readonly draft: string;
};

/** The list of completions below the input: the selected one, and whether Esc has closed the list. */
export type CompletionState = { readonly selected: number; readonly isClosed: boolean };

export const openCompletion: CompletionState = { selected: 0, isClosed: false };

const maxHistory = 200;

export function addToHistory({ entries }: InputHistory, text: string): InputHistory {
  const others = entries.at(-1) === text ? entries.slice(0, -1) : entries;
  return { entries: [...others, text].slice(-maxHistory), index: null, draft: '' };
}

const maxTrail = 200;
const maxPendingSteering = 20;

export function createScreenModel(options: {
  readonly descriptor: SessionDescriptor;
  readonly size: ScreenSize;
  readonly session: Session;
  readonly now: number;
}): ScreenModel {
  const { descriptor, size, session, now } = options;
  const { modelCalls, toolCalls, cost } = session.budgetUsage;
  const start = appendRemark(
    emptyTranscript,
    'info',
    `Session ${descriptor.id} · ${descriptor.model} · ${descriptor.folder}`,
  );
  return {
    descriptor,
    size,
    now,
    session,
    transcript: restoreTranscript(start, session),
    events: [],
    visitedStatuses: [session.turn.status],
    verdicts: { count: 0, latest: null },
    usage: { modelCalls, toolCalls, inputTokens: 0, outputTokens: 0, cost },
    changes: [],
    storeOutage: null,
    pendingSteering: [],
    questions: [],
    ui: {
      view: 'work',
      scroll: 0,
      frozen: null,
      selectedEntry: 0,
      input: emptyTextInput,
      history: listSentMessages(session).reduce(addToHistory, { entries: [], index: null, draft: '' }),
      completion: openCompletion,
      isAnswering: false,
      cardsOpen: false,
      notice: null,
      quitConfirmUntil: null,
    },
  };
}

/** Applies a step result to the model. */
export function applyStepResult(model: ScreenModel, result: StepResult): ScreenModel {
  const { session: before } = model;
  const { session, event } = result;
  const items = listTranscriptItems(toReplayedStep(before, result));
  const changes = updateChanges(model.changes, items, event.type === 'user-message');
  const transcript = updateTranscript(model.transcript, items);
  return {
    ...model,
    now: Number.isFinite(event.at) ? Math.max(model.now, event.at) : model.now,
    session,
    transcript: hasTurnEnded(before, session) ? appendChangeSummary(transcript, changes) : transcript,
    changes,
    events: appendLoggedEvent(model.events, { before, result, items }),
    visitedStatuses: session === before ? model.visitedStatuses : updateTrail(model.visitedStatuses, result),
    verdicts: updateVerdicts(
      event.type === 'user-message' ? { ...model.verdicts, latest: null } : model.verdicts,
      items,
    ),
    usage: session === before ? model.usage : updateUsage(model.usage, result),
    pendingSteering:
      session === before ? model.pendingSteering : updatePendingSteering(model.pendingSteering, items),
  };
}

export function advanceClock(model: ScreenModel, now: number): ScreenModel {
  const { ui } = model;
  const notice = ui.notice !== null && ui.notice.until < now ? null : ui.notice;
  const quitConfirmUntil =
    ui.quitConfirmUntil !== null && ui.quitConfirmUntil < now ? null : ui.quitConfirmUntil;
  const isSame = notice === ui.notice && quitConfirmUntil === ui.quitConfirmUntil;
  return { ...model, now: Math.max(model.now, now), ui: isSame ? ui : { ...ui, notice, quitConfirmUntil } };
}

/** Returns whether time alone has changed the view: a spinner always, a clock once per second. */
export function isRedrawNeeded({ session, now: before }: ScreenModel, now: number): boolean {
  return !restingStatuses.has(session.turn.status) || Math.floor(now / 1_000) !== Math.floor(before / 1_000);
}

export function resizeScreen(model: ScreenModel, size: ScreenSize): ScreenModel {
  return { ...model, size };
}

export function addWarning(model: ScreenModel, text: string): ScreenModel {
  return { ...model, transcript: appendRemark(model.transcript, 'warn', text) };
}

/** Says what becomes of the session when the user quits. */
export function describeStorage({ id, isStored }: SessionDescriptor): string {
  return isStored
    ? `The session is saved. Resume it with: pawl resume ${shortenId(id)}`
    : 'The session is not saved, because it has no store.';
}

/** Replaces the typed text. */
export function replaceInput(model: ScreenModel, text: string): ScreenModel {
  return { ...model, ui: { ...model.ui, input: setText(text), completion: openCompletion } };
}

/** Whether a message starts a turn. */
export function isWaitingForUser({ session }: ScreenModel): boolean {
  return acceptsUserMessage(session);
}

/** Restarts the trail when a new turn starts. */
function updateTrail(trail: readonly TurnStatus[], { notes }: StepResult): readonly TurnStatus[] {
  const transitions = notes.filter((note) => note.type === 'transition');
  const states = transitions.map(({ to }) => to);
  const [first] = transitions;
  if (first === undefined) return trail;
  return first.from === 'waitingForUser' ? [first.from, ...states] : [...trail.slice(-maxTrail), ...states];
}

/** Limit for a turn that changes very many files; the log has all of them. */
const maxChanges = 200;

function updateChanges(
  changes: readonly RecordedChange[],
  items: readonly TranscriptItem[],
  isNewTurn: boolean,
): readonly RecordedChange[] {
  const added = items.flatMap((item) =>
    item.kind === 'tool-result'
      ? item.diffs.map((diff, index): RecordedChange => ({ path: item.files[index] ?? '', diff }))
      : [],
  );
  if (!isNewTurn && added.length === 0) return changes;
  return [...(isNewTurn ? [] : changes), ...added].slice(-maxChanges);
}

function hasTurnEnded(before: Session, after: Session): boolean {
  return !isBetweenTurns(before) && isBetweenTurns(after);
}

function isBetweenTurns({ turn }: Session): boolean {
  return turn.status === 'waitingForUser' || turn.status === 'halted';
}

/** Lists the changed files at the end of a turn, with the numbers of added and removed lines. */
function appendChangeSummary(transcript: LiveTranscript, changes: readonly RecordedChange[]): LiveTranscript {
  if (changes.length === 0) return transcript;
  const counts = new Map<string, { added: number; removed: number }>();
  for (const { path, diff } of changes) {
    const count = counts.get(path) ?? { added: 0, removed: 0 };
    for (const { kind } of parseDiffLines(diff)) if (kind === 'added' || kind === 'removed') count[kind] += 1;
    counts.set(path, count);
  }
  const files = Array.from(counts, ([path, { added, removed }]) => `${path} +${added} −${removed}`);
  const title = files.length === 1 ? 'Changed' : `Changed ${files.length} files:`;
  return appendRemark(transcript, 'info', `${title} ${files.join(', ')} (/diff)`);
}

function updateVerdicts(
  verdicts: ScreenModel['verdicts'],
  items: readonly TranscriptItem[],
): ScreenModel['verdicts'] {
  return items.reduce(
    (all, item) => (item.kind === 'verdict' ? { count: all.count + 1, latest: item.verdict } : all),
    verdicts,
  );
}

function updateUsage(used: SessionUsage, { event }: StepResult): SessionUsage {
  const { replies, modelFailures, toolCalls, inputTokens, outputTokens, cost } = addEventTotals(
    emptyTotals,
    event,
  );
  return {
    modelCalls: used.modelCalls + replies + modelFailures,
    toolCalls: used.toolCalls + toolCalls,
    inputTokens: used.inputTokens + inputTokens,
    outputTokens: used.outputTokens + outputTokens,
    cost: used.cost + (cost ?? 0),
  };
}

/** Steering stays pending until it appears in the conversation. */
function updatePendingSteering(
  pendingSteering: readonly string[],
  items: readonly TranscriptItem[],
): readonly string[] {
  return items.reduce((pending, item) => {
    if (item.kind === 'message' && item.author === 'steering')
      return [...pending.slice(1 - maxPendingSteering), item.text];
    const index = item.kind === 'delivered-message' ? pending.indexOf(item.text) : -1;
    return index === -1 ? pending : pending.toSpliced(index, 1);
  }, pendingSteering);
}

/** The user's messages of a resumed session. */
function listSentMessages(session: Session): readonly string[] {
  const texts: string[] = [];
  for (const message of iterateItems(getConversation(session)))
    if (message.role === 'user') texts.push(message.text);
  return texts.slice(-maxHistory);
}

/** A question to the user, about a tool call or from the model. Questions are shown one at a time. */
export type PendingQuestion =
  | {
      readonly kind: 'permission';
      readonly number: number;
      readonly question: PermissionQuestion;
      /** When it was first shown; null while another question is shown. */
      readonly shownAt: number | null;
      /** Rows scrolled from the start. */
      readonly scroll: number;
      /** The selected option. */
      readonly selected: number;
    }
  | {
      readonly kind: 'model';
      readonly number: number;
      readonly question: UserQuestion;
      readonly shownAt: number | null;
      readonly scroll: number;
      readonly selected: number;
    };
