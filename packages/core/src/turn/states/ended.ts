import type { Event, EventOfType } from '../../event.ts';
import type { Session } from '../../session.ts';
import { shutDownTurn } from '../interrupt-turn.ts';
import type { SessionStep } from '../transition-turn.ts';
import { ignoreEvent } from '../refuse-event.ts';
import type { HaltedTurn, ShuttingDown } from '../state.ts';

/** Terminal states: only a shutdown leaves them, and it always succeeds. */
export function reduceEndedTurn(
  session: Session,
  turn: HaltedTurn | ShuttingDown,
  event: Event,
): SessionStep {
  return event.type === 'shutdown-requested'
    ? repeatShutdown(session, turn, event)
    : ignoreEvent(session, turn, event, 'the session has ended');
}

/** A repeated shutdown request leaves the state unchanged and returns the same action. */
function repeatShutdown(
  session: Session,
  turn: HaltedTurn | ShuttingDown,
  event: EventOfType<'shutdown-requested'>,
): SessionStep {
  return turn.status === 'shuttingDown'
    ? { session, actions: [{ type: 'shut-down' }], notes: [] }
    : shutDownTurn(session, turn, event);
}
