import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import { isEphemeral } from '../event.ts';
import { callOff } from './leave.ts';
import { justWait, wait, type Step } from './move.ts';
import type { Turn } from './state.ts';

/** A handler for an event that has no meaning in a state, and why. The profile says what becomes of it. */
export function refuse(reason: string): (session: Session, turn: Turn, event: Event) => Step {
  return (session, turn, event) => refuseNow(session, turn, event, reason);
}

export function refuseNow(session: Session, turn: Turn, event: Event, reason: string): Step {
  if ('request' in event && event.request !== undefined) return ignore(session, turn, event, reason);
  const note = refusal(turn, event, reason);
  const policy = session.settings.onInvalidEvent;
  if (policy === 'reset' && !isEphemeral(event) && turn.status !== 'waitingForUser') {
    const step = callOff(session, turn, event);
    return { ...step, notes: [note, ...step.notes] };
  }
  if (policy !== 'refuse') return { session, actions: justWait, notes: [note] };
  return {
    session,
    actions: [{ type: 'show-error', kind: 'refused', message: reason }, wait],
    notes: [note],
  };
}

/** An answer that came too late, twice, or for other work. No policy makes more of it than a note. */
export function ignore(session: Session, turn: Turn, event: Event, reason: string): Step {
  return { session, actions: justWait, notes: [refusal(turn, event, reason)] };
}

function refusal(turn: Turn, event: Event, reason: string): Note {
  return { type: 'refused', at: event.at, status: turn.status, event: event.type, reason };
}
