import type { Action } from '../action.ts';
import { logPatches, hasLogPatch } from '../log-version.ts';
import type { Event, EventOfType } from '../event.ts';
import type { Session } from '../session.ts';
import { getAgenda } from './agenda.ts';
import { transitionTurn, waitAction, type SessionStep } from './transition-turn.ts';
import { findFailedPhaseReason } from './progress-check.ts';
import { closeConversation } from './results.ts';
import type { HaltReason, PausableTurn, TurnState } from './state.ts';

/**
 * Cancels the current work and waits for the user. Every open call gets a result first. A phase that failed meanwhile
 * still ends the session if the profile says so, because no later progress check would do it.
 */
export function cancelTurn(session: Session, turn: TurnState, event: Event): SessionStep {
  const failureReason = hasLogPatch(session, logPatches.failedPhaseOutlivesCancel)
    ? findFailedPhaseReason(session, getAgenda(turn))
    : null;
  if (failureReason !== null) return haltSession(session, turn, event, failureReason);
  return transitionTurn(session, event, {
    to: {
      status: 'waitingForUser',
      since: event.at,
      conversation: closeConversation(turn, event.at),
    },
    actions: [...createAbortActions(turn), waitAction],
    via: isMidRound(turn) && session.settings.progressCheck ? ['progressCheck'] : [],
  });
}

/** Canceling a started tool round still passes through a progress check. */
function isMidRound({ status }: TurnState): boolean {
  return status === 'executingTools' || status === 'postToolsHook';
}

/** Halts the session permanently. */
export function haltSession(
  session: Session,
  turn: TurnState,
  event: Event,
  haltReason: HaltReason,
): SessionStep {
  return transitionTurn(session, event, {
    to: {
      status: 'halted',
      since: event.at,
      conversation: closeConversation(turn, event.at),
      haltReason: haltReason,
    },
    actions: [...createAbortActions(turn), { type: 'stop', haltReason }],
  });
}

export function haltOnRequest(
  session: Session,
  turn: TurnState,
  event: EventOfType<'halt-requested'>,
): SessionStep {
  return haltSession(session, turn, event, { kind: 'requested', reason: event.reason, rule: null });
}

export function shutDownTurn(
  session: Session,
  turn: TurnState,
  event: EventOfType<'shutdown-requested'>,
): SessionStep {
  return transitionTurn(session, event, {
    to: {
      status: 'shuttingDown',
      since: event.at,
      conversation: closeConversation(turn, event.at),
    },
    actions: [{ type: 'shut-down' }],
  });
}

export function pauseTurn(
  session: Session,
  turn: PausableTurn,
  event: EventOfType<'pause-requested'>,
): SessionStep {
  return transitionTurn(session, event, {
    to: { status: 'paused', since: event.at, reason: event.reason, held: turn },
    actions: [waitAction],
  });
}

/** Creates the action that cancels the work in progress. */
function createAbortActions(turn: TurnState): readonly Action[] {
  if (turn.status === 'paused') return createAbortActions(turn.held);
  return 'request' in turn ? [{ type: 'abort', request: turn.request }] : [];
}
