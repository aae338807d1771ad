import type { Event } from './event.ts';
import { reduceBudget } from './governor/budget.ts';
import { reduceTracker, preserveTracker } from './governor/reduce-tracker.ts';
import { runOnBudgetClock } from './governor/budget-clock.ts';
import { judgeMode, reduceGovernor } from './governor/reduce-governor.ts';
import type { StepDraft } from './governor/step-draft.ts';
import { type Rule, selectRules, type SessionTracker } from '@pawl/governor';
import { reduceMemory } from './memory/reduce-memory.ts';
import { updateContextWindow, type ContextWindow } from './memory/context-window.ts';
import { reduceStuckMode, reduceMode } from './modes/reduce-mode.ts';
import type { Session } from './session.ts';
import { pageBeforeModelCall } from './turn/page-before-model-call.ts';
import type { SessionStep } from './turn/transition-turn.ts';
import { awaitingPermissionHandlers } from './turn/states/awaiting-permission.ts';
import { callingModelHandlers } from './turn/states/calling-model.ts';
import { reduceEndedTurn } from './turn/states/ended.ts';
import { errorRecoveryHandlers } from './turn/states/error-recovery.ts';
import { executingToolsHandlers } from './turn/states/executing-tools.ts';
import { pagingHandlers } from './turn/states/paging.ts';
import { reducePausedTurn } from './turn/states/paused.ts';
import { postToolsHookHandlers } from './turn/states/post-tools-hook.ts';
import { waitingForUserHandlers } from './turn/states/waiting-for-user.ts';

/**
 * Applies one event: returns the next session, the actions the caller must perform and the notes worth recording.
 * Pure and synchronous. It never throws, whatever the order of events; an event that is not valid in the current state
 * changes nothing.
 *
 * The governor runs first and adds its verdicts to the turn's agenda. `ownRules` are judged after those of the
 * session's preset; a caller that passes rules must pass the same rules on replay.
 */
export function step(session: Session, event: Event, ownRules?: readonly Rule[]): SessionStep {
  const rules = isJudgedEvent(event) ? selectRules(session.settings.governor, ownRules) : emptyRules;
  if (rules.length === 0 && getActiveTracker(session) === null && isTurnOnlySession(session))
    return reduceTurn(session, event, ownRules);
  return session.settings.budgets === null
    ? reduceGovernedStep(session, event, rules, ownRules)
    : runOnBudgetClock(session, event, (timed) => reduceGovernedStep(timed, event, rules, ownRules));
}

/** During a pause there is no active tracker, because the nested step of the held turn notifies it. */
function getActiveTracker({ turn, governor }: Session): SessionTracker | null {
  return turn.status === 'paused' ? null : governor.tracker;
}

/** Runs every reducer (mode, memory, governor, budget) before the turn reducer. */
function reduceGovernedStep(
  session: Session,
  event: Event,
  rules: readonly Rule[],
  ownRules: readonly Rule[] | undefined,
): SessionStep {
  const tracker = getActiveTracker(session);
  const attended = reduceModeAndMemory(session, event);
  const governed = reduceGovernance(attended, rules, tracker);
  const taken = pageBeforeModelCall(session, event, reduceTurn(governed.session, governed.event, ownRules));
  const result = tracker === null ? taken : preserveTracker(taken, governed.session.governor.tracker);
  if (governed.session === session && governed.event === event) return result;
  // If the turn refused the event, discard the changes of the other reducers as well.
  if (result.session === governed.session) return { ...result, session };
  const { notes } = governed;
  const { actions = [] } = attended;
  if (notes.length + actions.length === 0) return result;
  const { session: after } = result;
  return { session: after, actions: [...actions, ...result.actions], notes: [...notes, ...result.notes] };
}

/** Whether the turn reducer is the only one that applies to this session. */
function isTurnOnlySession({ settings: { budgets }, mode, memory, window }: Session): boolean {
  return budgets === null && mode === null && memory === null && window === null;
}

/** Runs the mode, context-window and memory reducers. */
function reduceModeAndMemory(session: Session, event: Event): StepDraft {
  const { chart } = session.settings;
  const guided = chart === null ? { session, event, notes: [] } : reduceMode(session, event, chart);
  const filled = session.window === null ? guided : reduceContextWindow(guided, session.window);
  const { memory } = filled.session;
  return memory === null ? filled : reduceMemory(filled, memory);
}

function reduceContextWindow(guided: StepDraft, window: ContextWindow): StepDraft {
  const { session, event } = guided;
  const after = updateContextWindow(window, session.turn, event);
  return after === window ? guided : { ...guided, session: { ...session, window: after } };
}

function reduceGovernance(
  attended: StepDraft,
  rules: readonly Rule[],
  tracker: SessionTracker | null,
): StepDraft {
  const { budgets, chart } = attended.session.settings;
  let judged =
    rules.length === 0
      ? attended
      : mergeDraftNotes(attended, reduceGovernor(attended.session, attended.event, rules));
  if (chart !== null && rules.length > 0) judged = judgeMode(judged, chart, rules);
  if (tracker !== null) judged = reduceTracker(judged, tracker);
  if (budgets !== null) judged = reduceBudget(judged, budgets);
  return chart === null ? judged : reduceStuckMode(judged, chart);
}

function mergeDraftNotes(before: StepDraft, after: StepDraft): StepDraft {
  return before.notes.length === 0 ? after : { ...after, notes: [...before.notes, ...after.notes] };
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

const emptyRules: readonly Rule[] = [];

/**
 * Each table guarantees that the handler under an event's type accepts that event, which the compiler cannot verify.
 * The lookup is repeated per state instead of shared, so that the engine optimizes each call site separately.
 */
function reduceTurn(session: Session, event: Event, ownRules: readonly Rule[] | undefined): SessionStep {
  const { turn } = session;
  switch (turn.status) {
    case 'waitingForUser':
      return waitingForUserHandlers[event.type](session, turn, event as never);
    case 'callingModel':
      return callingModelHandlers[event.type](session, turn, event as never);
    case 'awaitingPermission':
      return awaitingPermissionHandlers[event.type](session, turn, event as never);
    case 'executingTools':
      return executingToolsHandlers[event.type](session, turn, event as never);
    case 'postToolsHook':
      return postToolsHookHandlers[event.type](session, turn, event as never);
    case 'errorRecovery':
      return errorRecoveryHandlers[event.type](session, turn, event as never);
    case 'paging':
      return pagingHandlers[event.type](session, turn, event as never);
    case 'paused':
      return reducePausedTurn(session, turn, event, (held, heard) => step(held, heard, ownRules));
    case 'halted':
    case 'shuttingDown':
      return reduceEndedTurn(session, turn, event);
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
