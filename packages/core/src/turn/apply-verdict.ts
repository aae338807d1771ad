import { assignCallIds, type Verdict } from '@pawl/governor';
import type { Event, RequestedCall } from '../session/event.ts';
import type { Session } from '../session/session.ts';
import type { StepChange, SessionStep } from '../session/session-step.ts';
import { createSessionFinish, emptyAgenda, plainCallIntent } from './agenda.ts';
import { appendReply, toExecution, toPermissionCalls, appendResults, createFailedOutcome } from './calls.ts';
import { callModel, haltOnRoute, runRound, waitForUser, type TurnRoute } from './enter-state.ts';
import { createRecoveryAction } from './pending-actions.ts';
import type {
  AwaitingPermission,
  CallingModel,
  ExecutingTools,
  ToolRecovery,
  TurnAgenda,
} from '../session/turn-state.ts';
import { transitionTurn } from './transition-turn.ts';

/*
 * A verdict from cause to effect. A reducer reports it with `createVerdictChange` and puts it on the turn's agenda with
 * `addTurnVerdict`; the next progress check carries it out with `actOnVerdict`. A verdict that leaves no way to continue
 * replaces the event by one that halts the session.
 */

/** Creates the event that halts the session at once; it replaces an event after which work cannot continue. */
export function createHaltEvent(verdict: Verdict, at: number): Event {
  return { type: 'verdict-reached', at, verdict: { ...verdict, response: { kind: 'halt' } } };
}

export function createVerdictChange(session: Session, event: Event, verdict: Verdict): StepChange {
  return { session, event, notes: [{ type: 'verdict', at: event.at, verdict }] };
}

/** Adds a verdict unless a more severe one is already pending. */
export function addVerdict(agenda: TurnAgenda, verdict: Verdict): TurnAgenda {
  const { kind } = verdict.response;
  if (kind === 'stop') {
    return { ...agenda, verdict, finish: createSessionFinish(verdict) };
  }
  const pendingKind = agenda.verdict?.response.kind ?? 'advise';
  return responseRanks[kind] < responseRanks[pendingKind] ? agenda : { ...agenda, verdict };
}

/** Returns the state with a verdict added to its agenda. */
export function addTurnVerdict(turn: JudgedTurn, verdict: Verdict): JudgedTurn {
  if (turn.status !== 'callingModel') return { ...turn, agenda: addVerdict(turn.agenda, verdict) };
  const { ask } = turn;
  return { ...turn, ask: { ...ask, agenda: addVerdict(ask.agenda, verdict) } };
}

/** The states in which the governor judges the work. */
type JudgedTurn = CallingModel | AwaitingPermission | ExecutingTools;

const responseRanks = { advise: 0, block: 1, run: 2, recover: 3, ask: 4, stop: 5, halt: 6 } as const;

/** Carries out the response to a verdict. */
export function actOnVerdict(
  verdict: Verdict,
  session: Session,
  event: Event,
  route: TurnRoute,
): SessionStep {
  switch (verdict.response.kind) {
    case 'advise':
    case 'block':
    case 'stop':
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
