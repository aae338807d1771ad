import type { ConversationHistory } from './conversation/conversation.ts';
import type { ConversationMessage } from './conversation/message.ts';
import type { Session } from './session.ts';
import type { SessionStep } from './turn/transition-turn.ts';
import type { TurnState, TurnStatus } from './turn/state.ts';

/** Whether the session is in a terminal state, which only a shutdown leaves. */
export function isTerminalSession({ turn }: Session): boolean {
  return turn.status === 'halted' || turn.status === 'shuttingDown';
}

/** Returns the turn, or the held turn if the session is paused. */
export function getUnpausedTurn(turn: TurnState): Exclude<TurnState, { readonly status: 'paused' }> {
  return turn.status === 'paused' ? turn.held : turn;
}

/** Returns the conversation of the current state; an ended session keeps its last one. */
export function getConversation({ turn }: Session): ConversationHistory<ConversationMessage> {
  return getUnpausedTurn(turn).conversation;
}

/** Whether a step accepted its event, in the same shape for every profile. */
export type StepOutcome =
  | { readonly ok: true; readonly state: TurnStatus }
  | { readonly ok: false; readonly state: TurnStatus; readonly error: string };

export function getStepOutcome({ session, notes }: SessionStep): StepOutcome {
  const state = session.turn.status;
  const refusal = notes.find((note) => note.type === 'refused');
  return refusal === undefined ? { ok: true, state } : { ok: false, state, error: refusal.reason };
}
