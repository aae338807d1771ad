import type { Action } from './action.ts';
import type { Event } from './event.ts';
import type { Note } from './note.ts';
import type { Session } from './session.ts';
import type { Verdict } from '@pawl/governor';

/** What a reducer makes of an event: the session, the event for the reducers after it, and what it adds to the step. */
export type StepChange = {
  readonly session: Session;
  readonly event: Event;
  readonly notes: readonly Note[];
  /** Actions in addition to those of the turn. */
  readonly actions?: readonly Action[];
};

/** Creates the event that halts the session at once; it replaces an event after which work cannot continue. */
export function createHaltEvent(verdict: Verdict, at: number): Event {
  return { type: 'verdict-reached', at, verdict: { ...verdict, response: { kind: 'halt' } } };
}

export function createVerdictChange(session: Session, event: Event, verdict: Verdict): StepChange {
  return { session, event, notes: [{ type: 'verdict', at: event.at, verdict }] };
}
