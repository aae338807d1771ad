import type { Session } from '../../session/session.ts';
import type { HaltedTurn, ShuttingDown } from '../../session/turn-state.ts';
import type { SessionStep } from '../../session/session-step.ts';
import { defineTurnState, interruptionRows, type TurnStateDefinition } from '../turn-table.ts';

/* The terminal states: only a shutdown leaves them, and it always succeeds. */

export const haltedState: TurnStateDefinition<HaltedTurn> = defineTurnState({
  name: 'halted',
  kind: 'terminal',
  description: 'The session has ended permanently, with a reason.',
  refusal: 'the session has ended',
  on: { 'shutdown-requested': interruptionRows['shutdown-requested'] },
});

export const shuttingDownState: TurnStateDefinition<ShuttingDown> = defineTurnState({
  name: 'shuttingDown',
  kind: 'terminal',
  description: 'The caller releases the session.',
  refusal: 'the session has ended',
  on: { 'shutdown-requested': { handle: repeatShutdown, to: [['', 'shuttingDown', 'shut-down']] } },
});

/** A repeated shutdown request leaves the state unchanged and returns the same action. */
function repeatShutdown(session: Session): SessionStep {
  return { session, actions: [{ type: 'shut-down' }], notes: [] };
}
