import type { Event, EventType } from '../event.ts';
import type { Session } from '../session.ts';
import type { Step } from './move.ts';
import type { Turn } from './state.ts';

export type EventOf<Type extends EventType> = Extract<Event, { readonly type: Type }>;

type Handler<State extends Turn, Type extends EventType = EventType> = (
  session: Session,
  turn: State,
  event: EventOf<Type>,
) => Step;

/** What a state does on each event. A new event does not compile until every state says what it makes of it. */
export type Handlers<State extends Turn> = { readonly [Type in EventType]: Handler<State, Type> };
