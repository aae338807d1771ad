import { restartOnUserMessage } from '@pawl/governor/session-tracker';
import { addTextTokens } from '../memory/estimate-tokens.ts';
import { restartTerminalMode } from '../modes/mode.ts';
import { waitActions, type Action } from '../session/action.ts';
import type { ConversationHistory } from '../conversation/conversation.ts';
import type { ToolCall, ConversationMessage } from '../conversation/message.ts';
import type { Event } from '../session/event.ts';
import type { Note } from '../session/note.ts';
import { initialGovernor, type GovernorState, type Session } from '../session/session.ts';
import { logPatches, hasLogPatch } from '../session/log-version.ts';
import { findLastCallVerdict } from '../session/budget.ts';
import type { Verdict } from '@pawl/governor';
import { createSessionFinish, keepOnlySteering, clearSteering, appendSteering } from './agenda.ts';
import { transitionTurn } from './transition-turn.ts';
import type { SessionStep } from '../session/session-step.ts';
import { createAskModelAction, createRunToolsActions } from './pending-actions.ts';
import type {
  TurnAgenda,
  ModelCallIntent,
  CallingModel,
  ExecutingTools,
  CallExecution,
  FinishRequest,
  HaltReason,
  TurnStatus,
} from '../session/turn-state.ts';

/** The path to a state: the conversation, the states passed through and the notes so far. */
export type TurnRoute = {
  readonly conversation: ConversationHistory<ConversationMessage>;
  readonly via?: readonly TurnStatus[] | undefined;
  readonly notes?: readonly Note[] | undefined;
};

type ModelCallAttempt = { readonly ask: ModelCallIntent; readonly retries: number };

/**
 * Calls the model and delivers pending steering. The request takes the number of the event that caused it, so that
 * request numbers are unique.
 */
export function callModel(
  session: Session,
  event: Event,
  route: TurnRoute,
  call: ModelCallAttempt,
): SessionStep {
  if (call.ask.agenda.steering !== undefined) return callModelWithSteering(session, event, route, call);
  const lastCallVerdict = isLastCallCheckDue(session, call.ask)
    ? findLastCallVerdict(session, event.at)
    : null;
  if (lastCallVerdict !== null)
    return makeLastModelCall(session, event, route, { call, verdict: lastCallVerdict });
  const to: CallingModel = {
    status: 'callingModel',
    since: event.at,
    conversation: route.conversation,
    request: session.seq + 1,
    retries: call.retries,
    streaming: false,
    ask: call.ask,
  };
  return transitionTurn(session, event, {
    to,
    actions: [createAskModelAction(to)],
    via: route.via,
    notes: route.notes,
  });
}

function isLastCallCheckDue(session: Session, { finish }: ModelCallIntent): boolean {
  return (
    session.settings.budgets !== null &&
    finish?.ends !== 'session' &&
    hasLogPatch(session, logPatches.budgetHoldsForEveryAsk)
  );
}

/** If the remaining budget pays for only one more answer, make this call the last one. */
function makeLastModelCall(
  session: Session,
  event: Event,
  route: TurnRoute,
  { call, verdict }: { readonly call: ModelCallAttempt; readonly verdict: Verdict },
): SessionStep {
  const agenda = { ...call.ask.agenda, verdict };
  const ask = createLastCallIntent(
    createSessionFinish(verdict),
    agenda,
    computeFinishDeadline(session, event),
  );
  const notes: readonly Note[] = [...(route.notes ?? []), { type: 'verdict', at: event.at, verdict }];
  return callModel(session, event, { ...route, notes }, { ask, retries: call.retries });
}

/** Creates a last model call without tools and with a deadline. */
export function createLastCallIntent(
  finish: FinishRequest,
  agenda: TurnAgenda,
  deadline: number | null,
): ModelCallIntent {
  const advice = agenda.verdict?.advice ?? finish.reason;
  return { advice, finish: { ...finish, deadline }, agenda: keepOnlySteering(agenda) };
}

export function computeFinishDeadline({ settings: { finishMs } }: Session, { at }: Event): number | null {
  return finishMs === null ? null : at + finishMs;
}

function callModelWithSteering(
  before: Session,
  event: Event,
  route: TurnRoute,
  { ask, retries }: ModelCallAttempt,
): SessionStep {
  const { agenda } = ask;
  const session = applySteering(before, agenda.steering ?? [], event.at);
  const conversation = appendSteering(route.conversation, agenda, event.at);
  const steeredAsk = { ...ask, agenda: clearSteering(agenda) };
  return callModel(session, event, { ...route, conversation }, { ask: steeredAsk, retries });
}

/** A tool round to execute. `calls` are the calls to start, if the caller has already collected them. */
export type RunningRound = {
  readonly request: number;
  readonly executions: readonly CallExecution[];
  readonly agenda: TurnAgenda;
  readonly calls?: readonly ToolCall[];
};

export function runRound(session: Session, event: Event, route: TurnRoute, round: RunningRound): SessionStep {
  const { request, executions, agenda, calls } = round;
  const { conversation, via, notes } = route;
  const to: ExecutingTools = {
    status: 'executingTools',
    since: event.at,
    conversation,
    request,
    executions,
    agenda,
  };
  const actions: readonly Action[] =
    calls === undefined ? createRunToolsActions(to) : [{ type: 'run-tools', request, calls }];
  return transitionTurn(session, event, { to, actions, via, notes });
}

/** Ends the turn. */
export function waitForUser(session: Session, event: Event, route: TurnRoute): SessionStep {
  return transitionTurn(session, event, {
    to: { status: 'waitingForUser', since: event.at, conversation: route.conversation },
    actions: waitActions,
    via: route.via,
    notes: route.notes,
  });
}

/** Halts the session on the way to another state. */
export function haltOnRoute(
  session: Session,
  event: Event,
  route: TurnRoute,
  haltReason: HaltReason,
): SessionStep {
  return transitionTurn(session, event, {
    to: { status: 'halted', since: event.at, conversation: route.conversation, haltReason: haltReason },
    actions: [{ type: 'stop', haltReason }],
    via: route.via,
    notes: route.notes,
  });
}

/**
 * Steering changes the task, so the governor, the mode and the work clock restart. This happens when the model is about
 * to receive the message and not when the user sends it, because work in progress until then belongs to the old task.
 */
function applySteering(session: Session, messages: readonly string[], at: number): Session {
  const { settings, mode, window } = session;
  const governor = restartGovernor(session, at);
  // Fast path: most sessions have nothing to reset, and this runs in every turn.
  if (governor === session.governor && mode === null && window === null) return startWorkClock(session, at);
  return startWorkClock(
    {
      ...session,
      governor,
      mode: mode === null || settings.chart === null ? mode : restartTerminalMode(mode, settings.chart, at),
      window: window === null ? window : messages.reduce(addTextTokens, window),
    },
    at,
  );
}

/** The work clock of a turn starts with the user's message. */
export function startWorkClock(session: Session, at: number): Session {
  return session.settings.budgets === null
    ? session
    : { ...session, budgetUsage: { ...session.budgetUsage, workingSince: at } };
}

/** A tracker decides itself which part of its state to reset. */
function restartGovernor({ governor: { tracker }, settings }: Session, at: number): GovernorState {
  return tracker === null
    ? initialGovernor
    : { ...initialGovernor, tracker: restartOnUserMessage(tracker, settings.governor, at) };
}
