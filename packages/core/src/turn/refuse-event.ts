import { type Event, isEphemeralEvent } from '../event.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import { cancelTurn } from './interrupt-turn.ts';
import type { TurnState } from './state.ts';
import { waitActions, waitAction, type SessionStep } from './transition-turn.ts';

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
