import type { Conversation } from './conversation/conversation.ts';
import type { Message } from './conversation/message.ts';
import type { Session } from './session.ts';
import type { Step } from './turn/move.ts';
import type { Turn, TurnStatus } from './turn/state.ts';

/** Nothing but a shutdown leads out of a terminal state. */
export function isTerminal({ turn }: Session): boolean {
  return turn.status === 'halted' || turn.status === 'shuttingDown';
}

/** The turn without the pause around it, if there is one. */
export function unpaused(turn: Turn): Exclude<Turn, { readonly status: 'paused' }> {
  return turn.status === 'paused' ? turn.held : turn;
}

/** The conversation so far, in whatever state; after the end it is the last one. */
export function conversationOf({ turn }: Session): Conversation<Message> {
  return unpaused(turn).conversation;
}

/** How an event was taken, in one shape for every profile. */
export type Taken =
  | { readonly ok: true; readonly state: TurnStatus }
  | { readonly ok: false; readonly state: TurnStatus; readonly error: string };

export function taken({ session, notes }: Step): Taken {
  const state = session.turn.status;
  const refused = notes.find((note) => note.type === 'refused');
  return refused === undefined ? { ok: true, state } : { ok: false, state, error: refused.reason };
}
