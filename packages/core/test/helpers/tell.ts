import {
  createSession,
  findProfile,
  step,
  type Action,
  type ActionType,
  type Event,
  type Session,
  type SessionOptions,
  type Step,
  type Turn,
  type TurnStatus,
} from '../../src/index.ts';

/** An event that need not say when it happens. */
export type Happening = WithoutTime<Event>;
type WithoutTime<Each> = Each extends Event ? Omit<Each, 'at'> & { readonly at?: number } : never;

/** What came of a tale: the last step of it, and all that led there. */
export type Told = Step & {
  readonly at: number;
  readonly events: readonly Event[];
  readonly steps: readonly Step[];
};

const tick = 10;

/** A session that has a profile's settings, with changes. */
export function sessionOf(profile: string, options: Partial<SessionOptions> = {}): Session {
  const found = findProfile(profile);
  if (found === undefined) throw new Error(`there is no profile ${profile}`);
  const settings = { ...found.settings, ...options.settings };
  return createSession({ id: 'session', at: 0, profile, ...options, settings });
}

/** Tells a session what happens, one thing after another and ten milliseconds apart unless they say when. */
export function tell(from: Session | Told, ...happenings: readonly Happening[]): Told {
  let told = 'session' in from ? from : opening(from);
  for (const happening of happenings) {
    const at = happening.at ?? told.at + tick;
    const event = { ...happening, at } as Event;
    const after = step(told.session, event);
    told = { ...after, at, events: [...told.events, event], steps: [...told.steps, after] };
  }
  return told;
}

function opening(session: Session): Told {
  return { session, actions: [], notes: [], at: session.turn.since, events: [], steps: [] };
}

/** The statuses of the last step in order, those passed through included. */
export function path({ session, notes }: Step): readonly TurnStatus[] {
  const [first, ...rest] = notes.filter((note) => note.type === 'transition');
  if (first === undefined) return [session.turn.status];
  return [first.from, first.to, ...rest.map((note) => note.to)];
}

export function actionTypes({ actions }: { readonly actions: readonly Action[] }): readonly ActionType[] {
  return actions.map(({ type }) => type);
}

export function refusal({ notes }: Step): string | undefined {
  return notes.find((note) => note.type === 'refused')?.reason;
}

export function turnIn<Status extends Turn['status']>(
  { session }: { readonly session: Session },
  status: Status,
): Extract<Turn, { readonly status: Status }> {
  if (session.turn.status !== status) throw new Error(`the session is ${session.turn.status}, not ${status}`);
  return session.turn as Extract<Turn, { readonly status: Status }>;
}

export function actionOf<Type extends ActionType>(
  { actions }: { readonly actions: readonly Action[] },
  type: Type,
): Extract<Action, { readonly type: Type }> {
  const found = actions.find((action) => action.type === type);
  if (found === undefined) throw new Error(`no ${type} among ${actions.map((each) => each.type).join(', ')}`);
  return found as Extract<Action, { readonly type: Type }>;
}
