import type { Action } from './action.ts';
import type { Event } from './event.ts';
import type { Note } from './note.ts';
import type { Session } from './session.ts';

/** What a reducer makes of an event: the session, the event for the reducers after it, and what it adds to the step. */
export type StepChange = {
  readonly session: Session;
  readonly event: Event;
  readonly notes: readonly Note[];
  /** Actions in addition to those of the turn. */
  readonly actions?: readonly Action[];
};

/** The result of a step: the next session, the actions to perform and the notes to record. */
export type SessionStep = {
  readonly session: Session;
  readonly actions: readonly Action[];
  readonly notes: readonly Note[];
};
