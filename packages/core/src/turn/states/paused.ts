import type { Action } from '../../action.ts';
import type { Event, EventOfType } from '../../event.ts';
import type { Note } from '../../note.ts';
import type { Session } from '../../session.ts';
import { cancelTurn, haltOnRequest, shutDownTurn } from '../interrupt-turn.ts';
import { waitActions, transitionTurn, type SessionStep } from '../transition-turn.ts';
import { listTurnActions } from '../pending-actions.ts';
import { refuseEvent } from '../refuse-event.ts';
import type { PausableTurn, PausedTurn, TurnState } from '../state.ts';

/** Applies an event to the held state; `applyEvent` is `step` itself, passed in to avoid a circular import. */
type StepFunction = (session: Session, event: Event) => SessionStep;

/**
 * While paused, answers are still applied to the held state so that no running work is lost. No new work starts;
 * pending work starts on resume.
 */
export function reducePausedTurn(
  session: Session,
  turn: PausedTurn,
  event: Event,
  applyEvent: StepFunction,
): SessionStep {
  switch (event.type) {
    case 'resume-requested':
      return resumeTurn(session, turn, event);
    case 'pause-requested':
      return refuseEvent(session, turn, event, 'the session is already paused');
    case 'cancel-requested':
      return cancelTurn(session, turn, event);
    case 'halt-requested':
      return haltOnRequest(session, turn, event);
    case 'shutdown-requested':
      return shutDownTurn(session, turn, event);
    default:
      return holdStep(session, turn, applyEvent({ ...session, turn: turn.held }, event));
  }
}

function resumeTurn(session: Session, turn: PausedTurn, event: EventOfType<'resume-requested'>): SessionStep {
  return transitionTurn(session, event, {
    to: { ...turn.held, since: event.at },
    actions: listTurnActions(turn.held),
  });
}

function holdStep(session: Session, turn: PausedTurn, step: SessionStep): SessionStep {
  const held = step.session.turn;
  if (!isPausableTurn(held)) return { ...step, notes: relabelTransition(step.notes) };
  const passiveActions = step.actions.filter(isPassiveAction);
  const changed = held !== turn.held || step.session.seq !== session.seq;
  return {
    session: changed ? { ...step.session, turn: { ...turn, held } } : session,
    actions: passiveActions.length === 0 ? waitActions : passiveActions,
    // Only the held state has changed; the session is still paused, so its transitions are not reported.
    notes: step.notes.filter((note) => note.type !== 'transition'),
  };
}

/** A transition that leaves the held state also leaves the pause. */
function relabelTransition(notes: readonly Note[]): readonly Note[] {
  const first = notes.findIndex((note) => note.type === 'transition');
  return notes.map((note, index) =>
    index === first && note.type === 'transition' ? { ...note, from: 'paused' } : note,
  );
}

function isPausableTurn(turn: TurnState): turn is PausableTurn {
  return turn.status !== 'paused' && turn.status !== 'halted' && turn.status !== 'shuttingDown';
}

/** Actions that start no work. `store` is one of them because entries that left working memory must reach storage. */
function isPassiveAction({ type }: Action): boolean {
  return type === 'show-text' || type === 'show-error' || type === 'abort' || type === 'store';
}
