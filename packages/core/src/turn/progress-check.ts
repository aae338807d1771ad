import { appendArrayItem, type ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage } from '../conversation/message.ts';
import type { Event } from '../session/event.ts';
import { actOnVerdict } from './apply-verdict.ts';
import type { Session } from '../session/session.ts';
import {
  isAgendaEmpty,
  plainCallIntent,
  findFailedPhaseReason,
  keepOnlySteering,
  appendSteering,
} from './agenda.ts';
import {
  callModel,
  computeFinishDeadline,
  createLastCallIntent,
  haltOnRoute,
  waitForUser,
  type TurnRoute,
} from './enter-state.ts';
import type { SessionStep } from '../session/session-step.ts';
import type {
  NextAfterTools,
  TurnAgenda,
  ModelCallIntent,
  HaltReason,
  TurnStatus,
} from '../session/turn-state.ts';

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
  const { finish, verdict, steering } = agenda;
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

function continueTurn(session: Session, event: Event, route: TurnRoute, next: NextAfterTools): SessionStep {
  return next === 'end-turn'
    ? waitForUser(session, event, route)
    : callModel(session, event, route, { ask: plainCallIntent, retries: 0 });
}
