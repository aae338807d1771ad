import type { Action } from '../session/action.ts';
import type { Event } from '../session/event.ts';
import type { Note } from '../session/note.ts';
import { setSessionTurn, type Session } from '../session/session.ts';
import type { TurnState, TurnStatus } from '../session/turn-state.ts';
import type { SessionStep } from '../session/session-step.ts';

export type TurnMove = {
  readonly to: TurnState;
  readonly actions: readonly Action[];
  /** Transient states passed through on the way. */
  readonly via?: readonly TurnStatus[] | undefined;
  readonly notes?: readonly Note[] | undefined;
};

const noNotes: readonly Note[] = [];
const noIntermediateStates: readonly TurnStatus[] = [];

/** Moves the session to another state, or updates the data of the current one. */
export function transitionTurn(
  session: Session,
  event: Event,
  { to, actions, via, notes }: TurnMove,
): SessionStep {
  return {
    session: setSessionTurn(session, session.seq + 1, to),
    actions,
    notes: joinStepNotes(notes, createTransitionNotes(session.turn, event, { to, via })),
  };
}

/** Returns the step with an error shown first. The error replaces the wait action. */
export function showErrorFirst(
  step: SessionStep,
  error: { readonly kind: ShownErrorKind; readonly message: string },
): SessionStep {
  const actions = step.actions.filter((action) => action.type !== 'wait');
  return { ...step, actions: [{ type: 'show-error', kind: error.kind, message: error.message }, ...actions] };
}

type ShownErrorKind = Extract<Action, { readonly type: 'show-error' }>['kind'];

/** Applies an ephemeral event, which changes only what is displayed. */
export function showEphemeralChange(
  session: Session,
  to: TurnState,
  actions: readonly Action[],
): SessionStep {
  return {
    session: to === session.turn ? session : setSessionTurn(session, session.seq, to),
    actions,
    notes: noNotes,
  };
}

/**
 * Creates a note per transition. States and events have so many shapes that property access is slow, so each field is
 * read once, and arrays are created at their final length.
 */
function createTransitionNotes(
  from: TurnState,
  event: Event,
  { to, via = noIntermediateStates }: Pick<TurnMove, 'to' | 'via'>,
): readonly Note[] {
  const { status: start, since } = from;
  const { status: end } = to;
  if (via.length === 0 && start === end) return noNotes;
  const cause = { at: event.at, type: event.type };
  const durationMs = Math.max(0, cause.at - since);
  if (via.length === 0) return [createTransitionNote(start, end, cause, durationMs)];
  const first = via[0] ?? end;
  if (via.length === 1) {
    return [
      createTransitionNote(start, first, cause, durationMs),
      createTransitionNote(first, end, cause, 0),
    ];
  }
  const notes: Note[] = [];
  let status: TurnStatus = start;
  for (const next of via) {
    notes.push(createTransitionNote(status, next, cause, notes.length === 0 ? durationMs : 0));
    status = next;
  }
  notes.push(createTransitionNote(status, end, cause, 0));
  return notes;
}

function createTransitionNote(
  from: TurnStatus,
  to: TurnStatus,
  { at, type }: Pick<Event, 'at' | 'type'>,
  durationMs: number,
): Note {
  return { type: 'transition', at, from, to, cause: type, durationMs };
}

/** Notes about the event precede the transitions it caused. */
function joinStepNotes(
  eventNotes: readonly Note[] | undefined,
  transitions: readonly Note[],
): readonly Note[] {
  return eventNotes === undefined || eventNotes.length === 0 ? transitions : [...eventNotes, ...transitions];
}
