import type { Action } from '../action.ts';
import { behaviours, isAtLeast } from '../behaviour.ts';
import type { Event } from '../event.ts';
import type { Session } from '../session.ts';
import { agendaOf } from './agenda.ts';
import type { EventOf } from './handlers.ts';
import { move, wait, type Step } from './move.ts';
import { failedPhase } from './progress-check.ts';
import { closedConversation } from './results.ts';
import type { HaltReason, Held, Turn } from './state.ts';

/**
 * Ends the work at hand and waits for the user. Every open call gets a result first. A phase that failed meanwhile still ends
 * the session, where it is to do that: no check will come any more that could.
 */
export function callOff(session: Session, turn: Turn, event: Event): Step {
  const failed = isAtLeast(session, behaviours.failedPhaseOutlivesCancel)
    ? failedPhase(session, agendaOf(turn))
    : null;
  if (failed !== null) return halt(session, turn, event, failed);
  return move(session, event, {
    to: {
      status: 'waitingForUser',
      since: event.at,
      conversation: closedConversation(turn, event.at),
    },
    actions: [...aborts(turn), wait],
    via: isMidRound(turn) && session.settings.progressCheck ? ['progressCheck'] : [],
  });
}

/** A round that was begun is not left without a look at it. */
function isMidRound({ status }: Turn): boolean {
  return status === 'executingTools' || status === 'postToolsHook';
}

/** Ends the session for good. */
export function halt(session: Session, turn: Turn, event: Event, why: HaltReason): Step {
  return move(session, event, {
    to: { status: 'halted', since: event.at, conversation: closedConversation(turn, event.at), why },
    actions: [...aborts(turn), { type: 'stop', why }],
  });
}

export function haltAsRequested(session: Session, turn: Turn, event: EventOf<'halt-requested'>): Step {
  return halt(session, turn, event, { kind: 'requested', reason: event.reason, rule: null });
}

export function shutDown(session: Session, turn: Turn, event: EventOf<'shutdown-requested'>): Step {
  return move(session, event, {
    to: {
      status: 'shuttingDown',
      since: event.at,
      conversation: closedConversation(turn, event.at),
    },
    actions: [{ type: 'shut-down' }],
  });
}

export function pause(session: Session, turn: Held, event: EventOf<'pause-requested'>): Step {
  return move(session, event, {
    to: { status: 'paused', since: event.at, reason: event.reason, held: turn },
    actions: [wait],
  });
}

/** The work under way that nobody will wait for any longer. */
function aborts(turn: Turn): readonly Action[] {
  if (turn.status === 'paused') return aborts(turn.held);
  return 'request' in turn ? [{ type: 'abort', request: turn.request }] : [];
}
