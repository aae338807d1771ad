import {
  createSession,
  findProfile,
  step,
  type Action,
  type ActionType,
  type Event,
  type Session,
  type SessionOptions,
  type SessionStep,
  type TurnState,
  type TurnStatus,
} from '../../src/index.ts';

/** An event that need not say when it happens. */
export type UntimedEvent = WithoutTime<Event>;
type WithoutTime<Each> = Each extends Event ? Omit<Each, 'at'> & { readonly at?: number } : never;

/** What came of a tale: the last step of it, and all that led there. */
export type EventRun = SessionStep & {
  readonly at: number;
  readonly events: readonly Event[];
  readonly steps: readonly SessionStep[];
};

const eventIntervalMs = 10;

/** A session that has a profile's settings, with changes. */
export function createProfileSession(profile: string, options: Partial<SessionOptions> = {}): Session {
  const found = findProfile(profile);
  if (found === undefined) throw new Error(`there is no profile ${profile}`);
  const settings = { ...found.settings, ...options.settings };
  return createSession({ id: 'session', at: 0, profile, ...options, settings });
}

/** Tells a session what happens, one thing after another and ten milliseconds apart unless they say when. */
export function runEvents(from: Session | EventRun, ...happenings: readonly UntimedEvent[]): EventRun {
  let told = 'session' in from ? from : createEventRun(from);
  for (const happening of happenings) {
    const at = happening.at ?? told.at + eventIntervalMs;
    const event = { ...happening, at } as Event;
    const after = step(told.session, event);
    told = { ...after, at, events: [...told.events, event], steps: [...told.steps, after] };
  }
  return told;
}

function createEventRun(session: Session): EventRun {
  return { session, actions: [], notes: [], at: session.turn.since, events: [], steps: [] };
}

/** The statuses of the last step in order, those passed through included. */
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
  const found = actions.find((action) => action.type === type);
  if (found === undefined) throw new Error(`no ${type} among ${actions.map((each) => each.type).join(', ')}`);
  return found as Extract<Action, { readonly type: Type }>;
}
