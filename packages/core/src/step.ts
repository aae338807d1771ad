import type { Rule } from '@pawl/governor';
import type { SessionTracker } from '@pawl/governor/session-tracker';
import type { Action } from './session/action.ts';
import { isEphemeralEvent, type Event } from './session/event.ts';
import { resumeBudgetClock, stopBudgetClock, reduceBudget } from './reducers/reduce-budget.ts';
import { judgeMode, reduceGovernor, selectSessionRules } from './reducers/reduce-governor.ts';
import { preserveTracker, reduceTracker } from './reducers/reduce-tracker.ts';
import { logDeniedCalls, reduceMemory, updateContextWindow } from './reducers/reduce-memory.ts';
import { reduceMode, reduceStuckMode } from './reducers/reduce-mode.ts';
import type { Note } from './session/note.ts';
import type { Session } from './session/session.ts';
import type { StepChange, SessionStep } from './session/session-step.ts';
import { pageBeforeModelCall, pagingState } from './turn/states/paging.ts';
import { awaitingPermissionState } from './turn/states/awaiting-permission.ts';
import { callingModelState } from './turn/states/calling-model.ts';
import { haltedState, shuttingDownState } from './turn/states/ended.ts';
import { errorRecoveryState } from './turn/states/error-recovery.ts';
import { executingToolsState } from './turn/states/executing-tools.ts';
import { isPauseEvent, pausedState, reduceHeldTurn } from './turn/states/paused.ts';
import { postToolsHookState } from './turn/states/post-tools-hook.ts';
import { waitingForUserState } from './turn/states/waiting-for-user.ts';

/**
 * Applies one event: returns the next session, the actions the caller must perform and the notes worth recording.
 * Pure and synchronous. It never throws, whatever the order of events; an event that is not valid in the current state
 * changes nothing.
 *
 * `ownRules` are judged after those of the session's preset; a caller that passes rules must pass the same rules on
 * replay.
 */
export function step(session: Session, event: Event, ownRules?: readonly Rule[]): SessionStep {
  const rules = isJudgedEvent(event) ? selectSessionRules(session, ownRules) : emptyRules;
  const tracker = getActiveTracker(session);
  // Most events of a plain session concern the turn alone; this path allocates nothing else.
  if (rules.length === 0 && tracker === null && isTurnOnlySession(session))
    return reduceTurn(session, event, ownRules);
  const context: StepContext = { before: session, event, rules, ownRules, tracker };
  let draft: StepDraft = { session, event, actions: noActions, notes: noNotes };
  for (const reduce of reducers) draft = reduce(draft, context);
  const { actions, notes } = draft;
  return { session: draft.session, actions, notes };
}

/** What the reducers pass along: the session so far, the event as changed so far, and what was added to the step. */
type StepDraft = {
  readonly session: Session;
  readonly event: Event;
  readonly actions: readonly Action[];
  readonly notes: readonly Note[];
};

/** What every reducer may look at: the session and event at the start of the step, the rules and the tracker. */
type StepContext = {
  readonly before: Session;
  readonly event: Event;
  readonly rules: readonly Rule[];
  readonly ownRules: readonly Rule[] | undefined;
  readonly tracker: SessionTracker | null;
};

type StepReducer = (draft: StepDraft, context: StepContext) => StepDraft;

/*
 * The parts of a session, in the order in which they see an event. A reducer may change the event for those after it,
 * for example by denying a call, so the order matters:
 *
 * runBudgetClock      first, so that everything after it measures the same working time.
 * applyMode           before the rest, because the calls it denies must not count as work.
 * countContextWindow  counts the event as the mode left it.
 * applyMemory         applies memory calls, so that the turn can decide whether to page.
 * applyGovernor       judges the work and adds its verdict to the turn's agenda.
 * applyModeLimits     judges the time and steps in the mode, which needs the mode of this event.
 * applyTracker        judges the work for the nexora and savant presets.
 * applyBudget         after the governor: an exhausted budget ends the work whatever the verdict.
 * logCommands         adds the calls that were denied to the command log, when no reducer denies any more.
 * applyStuckMode      moves to the stuck mode if one of the reducers above ends the work.
 * applyTurn           the turn machine: consumes the event and decides the actions. If it refuses the event, all
 *                     changes of the reducers above are discarded.
 * applyPaging         replaces a model call by paging if there is no room for it.
 * stopClock           last, because whether the clock runs depends on the state the turn has reached.
 */
const reducers: readonly StepReducer[] = [
  runBudgetClock,
  applyMode,
  countContextWindow,
  applyMemory,
  applyGovernor,
  applyModeLimits,
  applyTracker,
  applyBudget,
  logCommands,
  applyStuckMode,
  applyTurn,
  applyPaging,
  stopClock,
];

function runBudgetClock(draft: StepDraft): StepDraft {
  const { session, event } = draft;
  if (session.settings.budgets === null || isEphemeralEvent(event)) return draft;
  const running = resumeBudgetClock(session, event.at);
  return running === session ? draft : { ...draft, session: running };
}

function applyMode(draft: StepDraft): StepDraft {
  const { chart } = draft.session.settings;
  return chart === null ? draft : applyChange(draft, reduceMode(draft.session, draft.event, chart));
}

function countContextWindow(draft: StepDraft): StepDraft {
  const { session, event } = draft;
  if (session.window === null) return draft;
  const window = updateContextWindow(session.window, session.turn, event);
  return window === session.window ? draft : { ...draft, session: { ...session, window } };
}

function applyMemory(draft: StepDraft): StepDraft {
  const { session, event } = draft;
  return session.memory === null
    ? draft
    : applyChange(draft, reduceMemory({ session, event, notes: noNotes }, session.memory));
}

function applyGovernor(draft: StepDraft, { rules }: StepContext): StepDraft {
  return rules.length === 0 ? draft : applyChange(draft, reduceGovernor(draft.session, draft.event, rules));
}

function applyModeLimits(draft: StepDraft, { rules }: StepContext): StepDraft {
  const { session, event } = draft;
  const { chart } = session.settings;
  if (chart === null || rules.length === 0) return draft;
  return applyChange(draft, judgeMode({ session, event, notes: noNotes }, chart, rules));
}

function applyTracker(draft: StepDraft, context: StepContext): StepDraft {
  const { session, event } = draft;
  return context.tracker === null
    ? draft
    : applyChange(draft, reduceTracker({ session, event, notes: noNotes }, context.tracker));
}

function applyBudget(draft: StepDraft): StepDraft {
  const { session, event } = draft;
  const { budgets } = session.settings;
  return budgets === null
    ? draft
    : applyChange(draft, reduceBudget({ session, event, notes: noNotes }, budgets));
}

function logCommands(draft: StepDraft): StepDraft {
  const { session, event } = draft;
  return session.memory === null
    ? draft
    : applyChange(draft, logDeniedCalls({ session, event, notes: noNotes }, session.memory));
}

function applyStuckMode(draft: StepDraft): StepDraft {
  const { chart } = draft.session.settings;
  return chart === null ? draft : { ...draft, ...reduceStuckMode(draft, chart) };
}

function applyTurn(draft: StepDraft, { before, ownRules, tracker }: StepContext): StepDraft {
  const result = reduceTurn(draft.session, draft.event, ownRules);
  if (result.session === draft.session) return { ...draft, ...result, session: before };
  const after = tracker === null ? result : preserveTracker(result, draft.session.governor.tracker);
  return {
    session: after.session,
    event: draft.event,
    actions: joinLists(draft.actions, after.actions),
    notes: joinLists(draft.notes, after.notes),
  };
}

function applyPaging(draft: StepDraft, { before, event }: StepContext): StepDraft {
  const paged = pageBeforeModelCall(before, event, draft);
  return paged === draft ? draft : { ...draft, ...paged };
}

function stopClock(draft: StepDraft, { before, event }: StepContext): StepDraft {
  if (draft.session === before || before.settings.budgets === null || isEphemeralEvent(event)) return draft;
  const stopped = stopBudgetClock(draft.session, event.at);
  return stopped === draft.session ? draft : { ...draft, session: stopped };
}

const noActions: readonly Action[] = [];
const noNotes: readonly Note[] = [];
const emptyRules: readonly Rule[] = [];

function applyChange(draft: StepDraft, change: StepChange): StepDraft {
  return {
    session: change.session,
    event: change.event,
    actions: change.actions === undefined ? draft.actions : joinLists(draft.actions, change.actions),
    notes: joinLists(draft.notes, change.notes),
  };
}

function joinLists<Item>(first: readonly Item[], second: readonly Item[]): readonly Item[] {
  if (first.length === 0) return second;
  return second.length === 0 ? first : [...first, ...second];
}

/** During a pause there is no active tracker, because the nested step of the held turn notifies it. */
function getActiveTracker(session: Session): SessionTracker | null {
  return session.turn.status === 'paused' ? null : session.governor.tracker;
}

/** Whether the turn reducer is the only one that applies to this session. */
function isTurnOnlySession({ settings: { budgets }, mode, memory, window }: Session): boolean {
  return budgets === null && mode === null && memory === null && window === null;
}

/** The events that show whether the work makes progress. */
function isJudgedEvent({ type }: Event): boolean {
  return (
    type === 'tool-finished' ||
    type === 'model-replied' ||
    type === 'user-message' ||
    type === 'permission-decided' ||
    type === 'paging-finished'
  );
}

/**
 * Each table guarantees that the handler under an event's type accepts that event, which the compiler cannot verify.
 * The lookup is repeated per state instead of shared, so that the engine optimizes each call site separately.
 */
function reduceTurn(session: Session, event: Event, ownRules: readonly Rule[] | undefined): SessionStep {
  const { turn } = session;
  switch (turn.status) {
    case 'waitingForUser':
      return waitingForUserState.handlers[event.type](session, turn, event as never);
    case 'callingModel':
      return callingModelState.handlers[event.type](session, turn, event as never);
    case 'awaitingPermission':
      return awaitingPermissionState.handlers[event.type](session, turn, event as never);
    case 'executingTools':
      return executingToolsState.handlers[event.type](session, turn, event as never);
    case 'postToolsHook':
      return postToolsHookState.handlers[event.type](session, turn, event as never);
    case 'errorRecovery':
      return errorRecoveryState.handlers[event.type](session, turn, event as never);
    case 'paging':
      return pagingState.handlers[event.type](session, turn, event as never);
    case 'paused':
      return isPauseEvent(event)
        ? pausedState.handlers[event.type](session, turn, event as never)
        : reduceHeldTurn(session, turn, event, (held, heldEvent) => step(held, heldEvent, ownRules));
    case 'halted':
      return haltedState.handlers[event.type](session, turn, event as never);
    case 'shuttingDown':
      return shuttingDownState.handlers[event.type](session, turn, event as never);
    default:
      return turn satisfies never;
  }
}

/** Folds an event log into the resulting session. */
export function replay(session: Session, events: Iterable<Event>, ownRules?: readonly Rule[]): Session {
  let result = session;
  for (const event of events) result = step(result, event, ownRules).session;
  return result;
}
