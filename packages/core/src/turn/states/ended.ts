import type { EventOfType } from '../../session/event.ts';
import { initialBudgetUsage, type Session } from '../../session/session.ts';
import { acceptsUserMessage } from '../../session/session-status.ts';
import { ignoreEvent } from '../refuse-event.ts';
import type { HaltedTurn, ShuttingDown } from '../../session/turn-state.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { startTurn, steerIdleSession } from './waiting-for-user.ts';
import {
  defineTurnState,
  interruptionRows,
  type TurnStateDefinition,
  type TurnTarget,
} from '../turn-table.ts';

/* The terminal states. A user message leaves `halted` if nobody requested the halt; a shutdown always succeeds. */

const haltedRefusal = 'the session has ended';
const continueTargets: readonly TurnTarget[] = [['halt was not requested', 'callingModel', 'ask-model']];

export const haltedState: TurnStateDefinition<HaltedTurn> = defineTurnState({
  name: 'halted',
  kind: 'terminal',
  description:
    'The session has stopped, with a reason. A user message continues it, unless the halt was requested.',
  refusal: haltedRefusal,
  on: {
    'user-message': { handle: continueWithMessage, to: continueTargets },
    steered: { handle: continueWithSteering, to: continueTargets },
    'shutdown-requested': interruptionRows['shutdown-requested'],
  },
});

export const shuttingDownState: TurnStateDefinition<ShuttingDown> = defineTurnState({
  name: 'shuttingDown',
  kind: 'terminal',
  description: 'The caller releases the session.',
  refusal: 'the session has ended',
  on: { 'shutdown-requested': { handle: repeatShutdown, to: [['', 'shuttingDown', 'shut-down']] } },
});

function continueWithMessage(
  session: Session,
  turn: HaltedTurn,
  event: EventOfType<'user-message'>,
): SessionStep {
  return event.automatic === true || !acceptsUserMessage(session)
    ? ignoreEvent(session, turn, event, haltedRefusal)
    : startTurn(renewBudget(session, turn), turn, event);
}

function continueWithSteering(
  session: Session,
  turn: HaltedTurn,
  event: EventOfType<'steered'>,
): SessionStep {
  return acceptsUserMessage(session)
    ? steerIdleSession(renewBudget(session, turn), turn, event)
    : ignoreEvent(session, turn, event, haltedRefusal);
}

/** The user knows why the session was stopped and decides to continue, so an exhausted budget is granted again. */
function renewBudget(session: Session, { haltReason }: HaltedTurn): Session {
  return haltReason.kind === 'budget' ? { ...session, budgetUsage: initialBudgetUsage } : session;
}

/** A repeated shutdown request leaves the state unchanged and returns the same action. */
function repeatShutdown(session: Session): SessionStep {
  return { session, actions: [{ type: 'shut-down' }], notes: [] };
}
