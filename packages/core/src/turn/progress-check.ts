import { assignCallIds, type Verdict } from '@pawl/governor';
import type { ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage } from '../conversation/message.ts';
import type { Event, RequestedCall } from '../event.ts';
import { appendArrayItem } from '../array-copy.ts';
import type { Session } from '../session.ts';
import { emptyAgenda, isAgendaEmpty, plainCallIntent } from './agenda.ts';
import { toPermissionCalls, toExecution, appendReply } from './calls.ts';
import {
  callModel,
  computeFinishDeadline,
  createLastCallIntent,
  runRound,
  waitForUser,
  type TurnRoute,
} from './enter-state.ts';
import { transitionTurn, type SessionStep } from './transition-turn.ts';
import { createRecoveryAction } from './pending-actions.ts';
import { createFailedOutcome, appendResults } from './results.ts';
import { keepOnlySteering, appendSteering } from './steering.ts';
import type {
  NextAfterTools,
  TurnAgenda,
  ModelCallIntent,
  HaltReason,
  ToolRecovery,
  TurnStatus,
} from './state.ts';

export type ProgressCheck = {
  readonly conversation: ConversationHistory<ConversationMessage>;
  readonly agenda: TurnAgenda;
  readonly next: NextAfterTools;
  readonly via: readonly TurnStatus[];
  /** The check was requested explicitly, so it runs even if the profile does not check every round. */
  readonly forced?: boolean;
};

/**
 * Checks whether the work makes progress and processes the agenda in this order: phases, finish request, steering,
 * verdict. A turn does not end before the model has received pending steering.
 */
export function checkProgress(session: Session, event: Event, check: ProgressCheck): SessionStep {
  const { agenda, conversation, next } = check;
  const skipped = !session.settings.progressCheck && check.forced !== true;
  if (skipped && isAgendaEmpty(agenda)) return continueTurn(session, event, check, next);
  let via = appendArrayItem(check.via, 'progressCheck');
  if (agenda.phaseChanges > 0) {
    for (let change = 0; change < agenda.phaseChanges; change += 1)
      via = appendArrayItem(via, 'phaseTransition');
    const failureReason = findFailedPhaseReason(session, agenda);
    if (failureReason !== null)
      return haltWithSteering(session, event, { conversation, via, agenda }, failureReason);
    via = appendArrayItem(via, 'progressCheck');
  }
  const route = { conversation, via };
  const { finish, verdict, said: steering } = agenda;
  if (next === 'end-turn' && steering === undefined) return continueTurn(session, event, route, next);
  if (finish !== null) {
    const ask = createLastCallIntent(finish, agenda, computeFinishDeadline(session, event));
    return callModel(session, event, route, { ask, retries: 0 });
  }
  if (steering !== undefined) return deliverSteering(session, event, route, agenda);
  return verdict === null
    ? continueTurn(session, event, route, next)
    : actOnVerdict(verdict, session, event, route);
}

/** Steering takes precedence over a verdict's response; only the advice of the verdict remains. */
function deliverSteering(session: Session, event: Event, route: TurnRoute, agenda: TurnAgenda): SessionStep {
  const ask = { advice: agenda.verdict?.advice ?? null, finish: null, agenda: keepOnlySteering(agenda) };
  return callModel(session, event, route, { ask, retries: 0 });
}

/** Ends the turn, through a progress check if the agenda is not empty. */
export function endTurn(session: Session, event: Event, route: TurnRoute, agenda: TurnAgenda): SessionStep {
  return isAgendaEmpty(agenda)
    ? waitForUser(session, event, route)
    : checkProgress(session, event, {
        conversation: route.conversation,
        agenda,
        next: 'end-turn',
        via: route.via ?? [],
      });
}

/** Ends the turn after a model call, or the session if it was the last call. */
export function endModelCall(
  session: Session,
  event: Event,
  route: TurnRoute,
  ask: ModelCallIntent,
): SessionStep {
  const { finish, agenda } = ask;
  if (finish?.ends !== 'session') return endTurn(session, event, route, agenda);
  const kind = finish.rule === 'budget' ? 'budget' : 'stuck';
  return haltWithSteering(
    session,
    event,
    { ...route, agenda },
    { kind, reason: finish.reason, rule: finish.rule },
  );
}

/** Halts the session and appends pending steering to the conversation, so that it is not lost. */
function haltWithSteering(
  session: Session,
  event: Event,
  route: TurnRoute & { readonly agenda: TurnAgenda },
  haltReason: HaltReason,
): SessionStep {
  const conversation = appendSteering(route.conversation, route.agenda, event.at);
  return haltOnRoute(session, event, { ...route, conversation }, haltReason);
}

/** Returns the halt reason for a failed phase if the profile halts on failed phases. */
export function findFailedPhaseReason(session: Session, agenda: TurnAgenda): HaltReason | null {
  if (agenda.failedPhase === null || !session.settings.haltOnFailedPhase) return null;
  return { kind: 'phase-failed', reason: `Phase ${agenda.failedPhase} failed`, rule: null };
}

export function haltOnRoute(
  session: Session,
  event: Event,
  route: TurnRoute,
  haltReason: HaltReason,
): SessionStep {
  return transitionTurn(session, event, {
    to: { status: 'halted', since: event.at, conversation: route.conversation, why: haltReason },
    actions: [{ type: 'stop', haltReason }],
    via: route.via,
    notes: route.notes,
  });
}

function continueTurn(session: Session, event: Event, route: TurnRoute, next: NextAfterTools): SessionStep {
  return next === 'end-turn'
    ? waitForUser(session, event, route)
    : callModel(session, event, route, { ask: plainCallIntent, retries: 0 });
}

function actOnVerdict(verdict: Verdict, session: Session, event: Event, route: TurnRoute): SessionStep {
  switch (verdict.response.kind) {
    case 'advise':
    case 'refuse':
    case 'finish':
    case 'halt': {
      // The other three responses are carried out elsewhere; only their advice applies here.
      const ask = { advice: verdict.advice, finish: null, agenda: emptyAgenda };
      return callModel(session, event, route, { ask, retries: 0 });
    }
    case 'run':
      return runRecoveryCalls(session, event, route, verdict.response.calls);
    case 'ask':
      return askPerson(verdict, session, event, route);
    case 'recover':
      return startRecovery(verdict, session, event, route);
  }
}

/** Ends the turn with a question; the user's answer starts the next turn. */
function askPerson({ reason }: Verdict, session: Session, event: Event, route: TurnRoute): SessionStep {
  const step = waitForUser(session, event, route);
  const text = `I may be going round in circles: ${reason}. How shall I go on?`;
  return { ...step, actions: [{ type: 'show-text', text }, ...step.actions] };
}

function startRecovery(verdict: Verdict, session: Session, event: Event, route: TurnRoute): SessionStep {
  const attempt = session.governor.recoveries + 1;
  if (attempt > session.settings.maxRecoveries) {
    return haltOnRoute(session, event, route, { kind: 'stuck', reason: verdict.reason, rule: verdict.rule });
  }
  const to: ToolRecovery = {
    status: 'errorRecovery',
    since: event.at,
    conversation: route.conversation,
    origin: 'tool',
    request: session.seq + 1,
    attempt,
    verdict,
    agenda: emptyAgenda,
  };
  return transitionTurn({ ...session, governor: { ...session.governor, recoveries: attempt } }, event, {
    to,
    actions: [createRecoveryAction(to)],
    via: route.via,
    notes: route.notes,
  });
}

/**
 * Runs calls the model did not request. They are recorded as an assistant's calls so that every result has its call.
 * Recovery never asks for permission: calls that need it are denied.
 */
export function runRecoveryCalls(
  session: Session,
  event: Event,
  route: TurnRoute & { readonly agenda?: TurnAgenda },
  requested: readonly RequestedCall[],
): SessionStep {
  const { agenda = emptyAgenda, via, notes } = route;
  const request = session.seq + 1;
  const calls = assignCallIds(requested, request, 'recovery');
  const executions = toPermissionCalls(calls, requested).map((each) =>
    toExecution(
      each.decision === 'pending' ? { decision: 'denied', call: each.call, outcome: unaskedOutcome } : each,
    ),
  );
  const conversation = appendReply(route.conversation, { text: '', calls, at: event.at });
  if (executions.every((each) => each.status === 'completed')) {
    const closedRoute = { ...route, conversation: appendResults(conversation, executions, event.at) };
    return callModel(session, event, closedRoute, { ask: { ...plainCallIntent, agenda }, retries: 0 });
  }
  return runRound(session, event, { conversation, via, notes }, { request, executions, agenda });
}

const unaskedOutcome = createFailedOutcome(
  'denied',
  'This call needs permission, and recovery does not ask for any.',
);
