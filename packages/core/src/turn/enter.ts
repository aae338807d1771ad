import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import type { Session } from '../session.ts';
import { justWait, move, type Step } from './move.ts';
import { askModel } from './pending.ts';
import type { Ask, CallingModel, TurnStatus } from './state.ts';

/** The way to a state: what was passed through and noted so far. */
export type Route = {
  readonly conversation: Conversation<Message>;
  readonly via?: readonly TurnStatus[];
  readonly notes?: readonly Note[];
};

/** Asks the model. The request is numbered after the event that caused it, so no two are the same. */
export function callModel(
  session: Session,
  event: Event,
  route: Route,
  call: { readonly ask: Ask; readonly retries: number },
): Step {
  const to: CallingModel = {
    status: 'callingModel',
    since: event.at,
    conversation: route.conversation,
    request: session.seq + 1,
    retries: call.retries,
    streaming: false,
    ask: call.ask,
  };
  return move(session, event, { to, actions: [askModel(to)], via: route.via, notes: route.notes });
}

/** Ends the turn. */
export function waitForUser(session: Session, event: Event, route: Route): Step {
  return move(session, event, {
    to: { status: 'waitingForUser', since: event.at, conversation: route.conversation },
    actions: justWait,
    via: route.via,
    notes: route.notes,
  });
}
