import type { Action } from '../../action.ts';
import type { Event } from '../../event.ts';
import type { Note } from '../../note.ts';
import type { Session } from '../../session.ts';
import type { EventOf } from '../handlers.ts';
import { callOff, haltAsRequested, shutDown } from '../leave.ts';
import { justWait, move, type Step } from '../move.ts';
import { pendingIn } from '../pending.ts';
import { refuseNow } from '../refuse.ts';
import type { Held, Paused, Turn } from '../state.ts';

/** Takes an event as the state held would; `take` is the machine itself, handed in because it calls this. */
type Take = (session: Session, event: Event) => Step;

/**
 * While paused, answers still come in and change the state held, so nothing that was under way is lost. No new work is
 * asked for; what is due by then is asked for on resuming.
 */
export function paused(session: Session, turn: Paused, event: Event, take: Take): Step {
  switch (event.type) {
    case 'resume-requested':
      return resume(session, turn, event);
    case 'pause-requested':
      return refuseNow(session, turn, event, 'the session is already paused');
    case 'cancel-requested':
      return callOff(session, turn, event);
    case 'halt-requested':
      return haltAsRequested(session, turn, event);
    case 'shutdown-requested':
      return shutDown(session, turn, event);
    default:
      return hold(session, turn, take({ ...session, turn: turn.held }, event));
  }
}

function resume(session: Session, turn: Paused, event: EventOf<'resume-requested'>): Step {
  return move(session, event, { to: { ...turn.held, since: event.at }, actions: pendingIn(turn.held) });
}

function hold(session: Session, turn: Paused, step: Step): Step {
  const inner = step.session.turn;
  if (!isHeld(inner)) return { ...step, notes: leaving(step.notes) };
  const shown = step.actions.filter(isHarmless);
  const changed = inner !== turn.held || step.session.seq !== session.seq;
  return {
    session: changed ? { ...step.session, turn: { ...turn, held: inner } } : session,
    actions: shown.length === 0 ? justWait : shown,
    // The state held has changed, the session's has not: it is paused, and says where it goes on when it does.
    notes: step.notes.filter((note) => note.type !== 'transition'),
  };
}

/** The way out of the state held is the way out of the pause. */
function leaving(notes: readonly Note[]): readonly Note[] {
  const first = notes.findIndex((note) => note.type === 'transition');
  return notes.map((note, index) =>
    index === first && note.type === 'transition' ? { ...note, from: 'paused' } : note,
  );
}

function isHeld(turn: Turn): turn is Held {
  return turn.status !== 'paused' && turn.status !== 'halted' && turn.status !== 'shuttingDown';
}

/** Actions that begin nothing. What has left working memory has to be in storage, whoever waits. */
function isHarmless({ type }: Action): boolean {
  return type === 'show-text' || type === 'show-error' || type === 'abort' || type === 'store';
}
