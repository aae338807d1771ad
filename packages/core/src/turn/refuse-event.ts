import { waitActions, waitAction, type Action } from '../session/action.ts';
import { type Event, isEphemeralEvent, type EventOfType } from '../session/event.ts';
import { logPatches, hasLogPatch } from '../session/log-version.ts';
import type { Note } from '../session/note.ts';
import type { Session } from '../session/session.ts';
import { getAgenda, findFailedPhaseReason } from './agenda.ts';
import { closeConversation } from './calls.ts';
import type { TurnState, HaltReason, PausableTurn } from '../session/turn-state.ts';
import { transitionTurn } from './transition-turn.ts';
import type { SessionStep } from '../session/session-step.ts';

/** Refuses an event that is not valid in a state. The profile's `onInvalidEvent` policy decides what happens. */
export function refuseEvent(session: Session, turn: TurnState, event: Event, reason: string): SessionStep {
  if ('request' in event && event.request !== undefined) return ignoreEvent(session, turn, event, reason);
  const note = createRefusalNote(turn, event, reason);
  const policy = session.settings.onInvalidEvent;
  if (policy === 'reset' && !isEphemeralEvent(event) && turn.status !== 'waitingForUser') {
    const step = cancelTurn(session, turn, event);
    return { ...step, notes: [note, ...step.notes] };
  }
  if (policy !== 'refuse') return { session, actions: waitActions, notes: [note] };
  return {
    session,
    actions: [{ type: 'show-error', kind: 'refused', message: reason }, waitAction],
    notes: [note],
  };
}

/** Records a late, duplicate or stale answer as a note; the `onInvalidEvent` policy does not apply. */
export function ignoreEvent(session: Session, turn: TurnState, event: Event, reason: string): SessionStep {
  return { session, actions: waitActions, notes: [createRefusalNote(turn, event, reason)] };
}

function createRefusalNote(turn: TurnState, event: Event, reason: string): Note {
  return { type: 'refused', at: event.at, status: turn.status, event: event.type, reason };
}

/** Whether an answer names a request other than the current one. */
export function isStaleAnswer(
  turn: { readonly request: number },
  event: { readonly request?: number },
): boolean {
  return event.request !== undefined && event.request !== turn.request;
}

export const staleAnswerReason = 'it answers a request that is no longer current';

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
      conversation: closeConversation(
        turn,
        event.at,
        event.type === 'cancel-requested' ? event.partial : undefined,
      ),
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
