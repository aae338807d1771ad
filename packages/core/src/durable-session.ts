import type { Session } from './session.ts';
import type { CallExecution, TurnState } from './turn/state.ts';

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
