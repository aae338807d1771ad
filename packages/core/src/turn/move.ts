import type { Action } from '../action.ts';
import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import { inTurn, type Session } from '../session.ts';
import type { Turn, TurnStatus } from './state.ts';

/** What a step gives back: the session after the event, what to do now, and what is worth recording. */
export type Step = {
  readonly session: Session;
  readonly actions: readonly Action[];
  readonly notes: readonly Note[];
};

export type Move = {
  readonly to: Turn;
  readonly actions: readonly Action[];
  /** States passed through on the way. */
  readonly via?: readonly TurnStatus[] | undefined;
  readonly notes?: readonly Note[] | undefined;
};

export const wait: Action = { type: 'wait', until: null };
export const justWait: readonly Action[] = [wait];
const noNotes: readonly Note[] = [];
const directly: readonly TurnStatus[] = [];

/** The session moves to another state, or stays in one with new data. */
export function move(session: Session, event: Event, { to, actions, via, notes }: Move): Step {
  return {
    session: inTurn(session, session.seq + 1, to),
    actions,
    notes: joined(notes, transitions(session.turn, event, { to, via })),
  };
}

/** The same step, with an error shown first. Whoever is shown an error knows that there is nothing to wait for. */
export function showing(step: Step, error: { readonly kind: ErrorShown; readonly message: string }): Step {
  const actions = step.actions.filter((action) => action.type !== 'wait');
  return { ...step, actions: [{ type: 'show-error', kind: error.kind, message: error.message }, ...actions] };
}

type ErrorShown = Extract<Action, { readonly type: 'show-error' }>['kind'];

/** An ephemeral event changed what is shown and nothing else. */
export function show(session: Session, to: Turn, actions: readonly Action[]): Step {
  return {
    session: to === session.turn ? session : inTurn(session, session.seq, to),
    actions,
    notes: noNotes,
  };
}

/**
 * A note for each state on the way. States and events come in so many shapes that reading a field of theirs is a
 * look-up, so each is read once; and arrays are made as long as they will be.
 */
function transitions(
  from: Turn,
  event: Event,
  { to, via = directly }: Pick<Move, 'to' | 'via'>,
): readonly Note[] {
  const { status: start, since } = from;
  const { status: end } = to;
  if (via.length === 0 && start === end) return noNotes;
  const cause = { at: event.at, type: event.type };
  const durationMs = Math.max(0, cause.at - since);
  if (via.length === 0) return [transition(start, end, cause, durationMs)];
  const first = via[0] ?? end;
  if (via.length === 1) {
    return [transition(start, first, cause, durationMs), transition(first, end, cause, 0)];
  }
  const notes: Note[] = [];
  let status: TurnStatus = start;
  for (const next of via) {
    notes.push(transition(status, next, cause, notes.length === 0 ? durationMs : 0));
    status = next;
  }
  notes.push(transition(status, end, cause, 0));
  return notes;
}

function transition(
  from: TurnStatus,
  to: TurnStatus,
  { at, type }: Pick<Event, 'at' | 'type'>,
  durationMs: number,
): Note {
  return { type: 'transition', at, from, to, cause: type, durationMs };
}

/** What happened comes before where it led. */
function joined(facts: readonly Note[] | undefined, moves: readonly Note[]): readonly Note[] {
  return facts === undefined || facts.length === 0 ? moves : [...facts, ...moves];
}
