import type { Session, TurnStatus, Verdict } from '@pawl/core';
import {
  addEventTotals,
  emptyTotals,
  listTranscriptItems,
  restingStatuses,
  toReplayedStep,
  type TranscriptItem,
} from '@pawl/core/projections';
import type { StepResult, StoreOutage } from '@pawl/runtime';
import { appendLoggedEvent, type LoggedEvent } from './logged-events.ts';
import { emptyTextInput, type TextInput } from './text-input.ts';
import {
  emptyTranscript,
  appendRemark,
  restoreTranscript,
  updateTranscript,
  type LiveTranscript,
} from './live-transcript.ts';
import type { PermissionQuestion } from '@pawl/runtime/permission';
import type { UserQuestion } from '@pawl/runtime/tools';

export const screenViewNames = ['work', 'transcript', 'events', 'memory', 'help'] as const;
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
  readonly verdicts: { readonly count: number; readonly latest: Verdict | null };
  readonly usage: SessionUsage;
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
};

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
  readonly isTyping: boolean;
  readonly input: TextInput;
  /** Whether tool cards show their output. */
  readonly cardsOpen: boolean;
  readonly notice: { readonly text: string; readonly until: number } | null;
  /** The time until which another Ctrl-C quits; null if none was pressed. */
  readonly quitConfirmUntil: number | null;
};

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
    storeOutage: null,
    pendingSteering: [],
    questions: [],
    ui: {
      view: 'work',
      scroll: 0,
      frozen: null,
      selectedEntry: 0,
      isTyping: descriptor.mode === 'chat' && session.turn.status === 'waitingForUser',
      input: emptyTextInput,
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
  return {
    ...model,
    now: Number.isFinite(event.at) ? Math.max(model.now, event.at) : model.now,
    session,
    transcript: updateTranscript(model.transcript, items),
    events: appendLoggedEvent(model.events, { before, result, items }),
    visitedStatuses: session === before ? model.visitedStatuses : updateTrail(model.visitedStatuses, result),
    verdicts: updateVerdicts(model.verdicts, items),
    usage: session === before ? model.usage : updateUsage(model.usage, result),
    pendingSteering:
      session === before ? model.pendingSteering : updatePendingSteering(model.pendingSteering, items),
    ui: updateFocus(model, session),
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

/** The input line belongs to the work view; in other views, keys are commands. */
export function isTypingInWorkView({ ui }: ScreenModel): boolean {
  return ui.isTyping && ui.view === 'work';
}

export function isWaitingForUser({ session: { turn } }: ScreenModel): boolean {
  return turn.status === 'waitingForUser';
}

/** Restarts the trail when a new turn starts. */
function updateTrail(trail: readonly TurnStatus[], { notes }: StepResult): readonly TurnStatus[] {
  const transitions = notes.filter((note) => note.type === 'transition');
  const states = transitions.map(({ to }) => to);
  const [first] = transitions;
  if (first === undefined) return trail;
  return first.from === 'waitingForUser' ? [first.from, ...states] : [...trail.slice(-maxTrail), ...states];
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

/** In a chat, the input line gets the focus when it is the user's turn and loses it afterwards, unless it is in use. */
function updateFocus({ descriptor, session: before, ui, questions }: ScreenModel, after: Session): ViewState {
  const isTurn = after.turn.status === 'waitingForUser';
  if (descriptor.mode !== 'chat' || isTurn === (before.turn.status === 'waitingForUser')) return ui;
  const isInUse = ui.input.text !== '' || questions[0]?.kind === 'model';
  return isInUse ? ui : { ...ui, isTyping: isTurn };
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
    }
  | {
      readonly kind: 'model';
      readonly number: number;
      readonly question: UserQuestion;
      readonly shownAt: number | null;
      readonly scroll: number;
    };
