import type { Session } from './session.ts';
import type { Execution, Turn } from './turn/state.ts';

/**
 * The session without what only ephemeral events put there: whether text has begun to stream, and how far a tool says
 * it is. Two sessions that differ in nothing else have the same log.
 */
export function durableView(session: Session): Session {
  return { ...session, turn: durableTurn(session.turn) };
}

function durableTurn<State extends Turn>(turn: State): State {
  switch (turn.status) {
    case 'callingModel':
      return { ...turn, streaming: false };
    case 'executingTools':
      return { ...turn, executions: turn.executions.map(durableExecution) };
    case 'paused':
      return { ...turn, held: durableTurn(turn.held) };
    default:
      return turn;
  }
}

function durableExecution(execution: Execution): Execution {
  if (execution.status !== 'running') return execution;
  return execution.startedAt === null
    ? { status: 'pending', call: execution.call }
    : { ...execution, progress: null };
}
