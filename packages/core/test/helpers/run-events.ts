import {
  createSession,
  step,
  type Action,
  type ActionType,
  type Event,
  type Session,
  type SessionOptions,
  type TurnState,
  type TurnStatus,
  type SessionStep,
} from '../../src/index.ts';
import { findProfile } from '../../src/profiles-entry.ts';

/** An event whose time is optional. */
export type UntimedEvent = WithoutTime<Event>;
type WithoutTime<Each> = Each extends Event ? Omit<Each, 'at'> & { readonly at?: number } : never;

/** The result of a run: its last step, and all events and steps before it. */
export type EventRun = SessionStep & {
  readonly at: number;
  readonly events: readonly Event[];
  readonly steps: readonly SessionStep[];
};

const eventIntervalMs = 10;

/** Creates a session with a profile's settings and overrides. */
export function createProfileSession(profile: string, options: Partial<SessionOptions> = {}): Session {
  const match = findProfile(profile);
  if (match === undefined) throw new Error(`there is no profile ${profile}`);
  const settings = { ...match.settings, ...options.settings };
  return createSession({ id: 'session', at: 0, profile, ...options, settings });
}

/** Applies events in order, ten milliseconds apart unless they have a time. */
export function runEvents(from: Session | EventRun, ...events: readonly UntimedEvent[]): EventRun {
  let run = 'session' in from ? from : createEventRun(from);
  for (const untimed of events) {
    const at = untimed.at ?? run.at + eventIntervalMs;
    const event = { ...untimed, at } as Event;
    const after = step(run.session, event);
    run = { ...after, at, events: [...run.events, event], steps: [...run.steps, after] };
  }
  return run;
}

function createEventRun(session: Session): EventRun {
  return { session, actions: [], notes: [], at: session.turn.since, events: [], steps: [] };
}

/** Lists the statuses of the last step in order, including transient ones. */
export function listStatusPath({ session, notes }: SessionStep): readonly TurnStatus[] {
  const [first, ...rest] = notes.filter((note) => note.type === 'transition');
  if (first === undefined) return [session.turn.status];
  return [first.from, first.to, ...rest.map((note) => note.to)];
}

export function listActionTypes({ actions }: { readonly actions: readonly Action[] }): readonly ActionType[] {
  return actions.map(({ type }) => type);
}

export function getRefusalReason({ notes }: SessionStep): string | undefined {
  return notes.find((note) => note.type === 'refused')?.reason;
}

export function requireTurn<Status extends TurnState['status']>(
  { session }: { readonly session: Session },
  status: Status,
): Extract<TurnState, { readonly status: Status }> {
  if (session.turn.status !== status) throw new Error(`the session is ${session.turn.status}, not ${status}`);
  return session.turn as Extract<TurnState, { readonly status: Status }>;
}

export function requireAction<Type extends ActionType>(
  { actions }: { readonly actions: readonly Action[] },
  type: Type,
): Extract<Action, { readonly type: Type }> {
  const match = actions.find((action) => action.type === type);
  if (match === undefined) throw new Error(`no ${type} among ${actions.map((each) => each.type).join(', ')}`);
  return match as Extract<Action, { readonly type: Type }>;
}
