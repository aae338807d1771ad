import type { Action } from '../action.ts';
import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import type { Verdict } from './verdict.ts';

/** The session with what the governor makes of an event, before the turn takes it. */
export type Governed = {
  readonly session: Session;
  readonly event: Event;
  readonly notes: readonly Note[];
  /** What is to be done besides what the turn asks for. */
  readonly actions?: readonly Action[];
};

/** The event that ends the session at once, to be taken instead of one after which the work cannot go on. */
export function halting(verdict: Verdict, at: number): Event {
  return { type: 'verdict-reached', at, verdict: { ...verdict, response: { kind: 'halt' } } };
}

export function withVerdictOn(session: Session, event: Event, verdict: Verdict): Governed {
  return { session, event, notes: [{ type: 'verdict', at: event.at, verdict }] };
}
