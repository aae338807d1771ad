import type { ConversationHistory } from './conversation/conversation.ts';
import type { ConversationMessage } from './conversation/message.ts';
import type { Session } from './session.ts';
import type { TurnState, TurnStatus, CallExecution } from './turn/state.ts';
import type { SessionStep } from './turn/transition-turn.ts';

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

/**
 * Drops state that only ephemeral events set: whether text is streaming, and a tool's reported progress. Two sessions
 * that differ in nothing else have the same log.
 */
export function toDurableSession(session: Session): Session {
  return { ...session, turn: toDurableTurn(session.turn) };
}

function toDurableTurn<State extends TurnState>(turn: State): State {
  switch (turn.status) {
    case 'callingModel':
      return { ...turn, streaming: false };
    case 'executingTools':
      return { ...turn, executions: turn.executions.map(toDurableExecution) };
    case 'paused':
      return { ...turn, held: toDurableTurn(turn.held) };
    default:
      return turn;
  }
}

function toDurableExecution(execution: CallExecution): CallExecution {
  if (execution.status !== 'running') return execution;
  return execution.startedAt === null
    ? { status: 'pending', call: execution.call }
    : { ...execution, progress: null };
}
