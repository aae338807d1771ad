import {
  createMemoryRow,
  defineTurnState,
  interruptionRows,
  haltOnVerdict,
  type TurnStateDefinition,
} from '../turn-table.ts';
import type { EventOfType } from '../../session/event.ts';
import { appendItem } from '../../conversation/conversation.ts';
import { changePhases } from '../change-phases.ts';
import type { Session } from '../../session/session.ts';
import { emptyAgenda, plainCallIntent, findFailedPhaseReason } from '../agenda.ts';
import { callModel, haltOnRoute, startWorkClock, waitForUser } from '../enter-state.ts';
import { haltOnRequest, refuseEvent } from '../refuse-event.ts';
import { transitionTurn } from '../transition-turn.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { createPageMemoryAction } from '../pending-actions.ts';
import type { HaltedTurn, PagingTurn, WaitingForUser } from '../../session/turn-state.ts';

export const waitingForUserState: TurnStateDefinition<WaitingForUser> = defineTurnState({
  name: 'waitingForUser',
  description: 'Waits for a user message. Every session starts and every turn ends here.',
  refusal: 'nothing is under way',
  on: {
    'user-message': { handle: startTurn, to: [['', 'callingModel', 'ask-model']] },
    steered: { handle: steerIdleSession, to: [['', 'callingModel', 'ask-model']] },
    'paging-requested': { handle: handlePagingRequested, to: [['', 'paging', 'page-memory']] },
    'phase-started': { handle: handlePhaseEvent, to: ['phaseTransition'] },
    'phase-completed': { handle: handlePhaseEvent, to: ['phaseTransition'] },
    'verdict-reached': {
      handle: (session, turn, event) =>
        event.verdict.response.kind === 'halt'
          ? haltOnVerdict(session, turn, event)
          : refuseEvent(session, turn, event, 'nothing is under way'),
      to: [['verdict is halt', 'halted', 'stop']],
    },
    ...createMemoryRow('waitingForUser'),
    'pause-requested': interruptionRows['pause-requested'],
    'halt-requested': { handle: haltOnRequest, to: [['', 'halted', 'stop']] },
    'shutdown-requested': interruptionRows['shutdown-requested'],
  },
});

export function startTurn(
  session: Session,
  turn: WaitingForUser | HaltedTurn,
  event: EventOfType<'user-message'>,
): SessionStep {
  const conversation = appendItem(turn.conversation, { role: 'user', at: event.at, text: event.text });
  const { advice, recoveries } = session.governor;
  const ask = advice === null ? plainCallIntent : { ...plainCallIntent, advice };
  const resetSession =
    recoveries === 0 ? session : { ...session, governor: { ...session.governor, recoveries: 0 } };
  return callModel(startWorkClock(resetSession, event.at), event, { conversation }, { ask, retries: 0 });
}

/** With no work in progress, steering starts a turn immediately. */
export function steerIdleSession(
  session: Session,
  turn: WaitingForUser | HaltedTurn,
  event: EventOfType<'steered'>,
): SessionStep {
  const { conversation } = turn;
  const agenda = { ...emptyAgenda, steering: [event.text] };
  return callModel(session, event, { conversation }, { ask: { ...plainCallIntent, agenda }, retries: 0 });
}

function handlePagingRequested(
  session: Session,
  turn: WaitingForUser,
  event: EventOfType<'paging-requested'>,
): SessionStep {
  const to: PagingTurn = {
    status: 'paging',
    since: event.at,
    conversation: turn.conversation,
    request: session.seq + 1,
    retries: 0,
    work: { reason: event.reason, asking: false, ask: plainCallIntent, modelRetries: 0 },
  };
  return transitionTurn(session, event, { to, actions: [createPageMemoryAction(to)] });
}

function handlePhaseEvent(
  session: Session,
  turn: WaitingForUser,
  event: EventOfType<'phase-started'> | EventOfType<'phase-completed'>,
): SessionStep {
  const after = changePhases(session, event);
  const { notes } = after;
  const via = ['phaseTransition'] as const;
  const failureReason = findFailedPhaseReason(session, { ...emptyAgenda, failedPhase: after.failedPhase });
  const route = { conversation: turn.conversation, via, notes };
  if (failureReason !== null) return haltOnRoute(after.session, event, route, failureReason);
  if (event.type === 'phase-completed' || event.message === undefined) {
    return waitForUser(after.session, event, route);
  }
  const conversation = appendItem(turn.conversation, { role: 'user', at: event.at, text: event.message });
  return callModel(
    startWorkClock(after.session, event.at),
    event,
    { conversation, via, notes },
    { ask: plainCallIntent, retries: 0 },
  );
}
