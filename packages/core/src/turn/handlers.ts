import type { EventOfType, EventType } from '../event.ts';
import type { Session } from '../session.ts';
import type { SessionStep } from './transition-turn.ts';
import type { TurnState } from './state.ts';

type EventHandler<State extends TurnState, Type extends EventType = EventType> = (
  session: Session,
  turn: State,
  event: EventOfType<Type>,
) => SessionStep;

/** A state's handler for each event type. A new event type does not compile until every state handles it. */
export type EventHandlers<State extends TurnState> = {
  readonly [Type in EventType]: EventHandler<State, Type>;
};
