import {
  canceledTarget,
  defineTurnState,
  eventStates,
  failedPhaseTarget,
  interruptionRows,
  type TurnStateDefinition,
} from '../turn-table.ts';
import { waitActions, type Action } from '../../session/action.ts';
import type { Event, EventOfType } from '../../session/event.ts';
import type { Note } from '../../session/note.ts';
import type { Session } from '../../session/session.ts';
import { cancelTurn, haltOnRequest } from '../refuse-event.ts';
import { transitionTurn } from '../transition-turn.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { listTurnActions } from '../pending-actions.ts';
import type { PausableTurn, PausedTurn, TurnState } from '../../session/turn-state.ts';

/** The rows of a paused session. Every other event is applied to the held state; see `reduceHeldTurn`. */
export const pausedState: TurnStateDefinition<PausedTurn> = defineTurnState({
  name: 'paused',
  description: 'Waits for a resume request. Answers are still applied; no new work starts.',
  refusal: 'the session is already paused',
  on: {
    'resume-requested': {
      handle: resumeTurn,
      to: [
        ['was waitingForUser', 'waitingForUser', 'wait'],
        ['was callingModel', 'callingModel', 'ask-model'],
        ['was awaitingPermission', 'awaitingPermission', 'ask-permission'],
        ['was executingTools, calls are pending', 'executingTools', 'run-tools'],
        ['was executingTools', 'executingTools', 'wait'],
        ['was postToolsHook', 'postToolsHook', 'run-hooks'],
        ['was errorRecovery, recovery was requested', 'errorRecovery', 'recover'],
        ['was errorRecovery', 'errorRecovery', 'wait'],
        ['was paging', 'paging', 'page-memory'],
      ],
    },
    'cancel-requested': {
      handle: cancelTurn,
      to: [['was waitingForUser', 'waitingForUser', 'wait'], failedPhaseTarget, canceledTarget],
    },
    'halt-requested': {
      handle: haltOnRequest,
      to: [
        ['was waitingForUser', 'halted', 'stop'],
        ['', 'halted', 'abort', 'stop'],
      ],
    },
    'shutdown-requested': interruptionRows['shutdown-requested'],
  },
});

/** Whether the pause itself handles the event; it refuses another pause request. */
export function isPauseEvent({ type }: Event): boolean {
  return type === 'pause-requested' || eventStates[type].some((status) => status === 'paused');
}

/**
 * While paused, answers are still applied to the held state so that no running work is lost. No new work starts;
 * pending work starts on resume. `applyEvent` is `step` itself, passed in to avoid a circular import.
 */
export function reduceHeldTurn(
  session: Session,
  turn: PausedTurn,
  event: Event,
  applyEvent: (session: Session, event: Event) => SessionStep,
): SessionStep {
  return holdStep(session, turn, applyEvent({ ...session, turn: turn.held }, event));
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
