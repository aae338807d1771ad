import type { Action } from '../action.ts';
import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import type { Verdict } from '@pawl/governor';

/** The session, event and notes that the reducers pass along before the turn reducer runs. */
export type StepDraft = {
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

export function createVerdictDraft(session: Session, event: Event, verdict: Verdict): StepDraft {
  return { session, event, notes: [{ type: 'verdict', at: event.at, verdict }] };
}
