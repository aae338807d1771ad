import type { Event } from '../../event.ts';
import type { Session } from '../../session.ts';
import type { EventOf } from '../handlers.ts';
import { shutDown } from '../leave.ts';
import type { Step } from '../move.ts';
import { ignore } from '../refuse.ts';
import type { Halted, ShuttingDown } from '../state.ts';

/** Terminal states: nothing leads out of them but a shutdown, which always succeeds. */
export function ended(session: Session, turn: Halted | ShuttingDown, event: Event): Step {
  return event.type === 'shutdown-requested'
    ? repeatable(session, turn, event)
    : ignore(session, turn, event, 'the session has ended');
}

/** Asked to shut down twice, the machine stays as it is and asks for the same thing again. */
function repeatable(
  session: Session,
  turn: Halted | ShuttingDown,
  event: EventOf<'shutdown-requested'>,
): Step {
  return turn.status === 'shuttingDown'
    ? { session, actions: [{ type: 'shut-down' }], notes: [] }
    : shutDown(session, turn, event);
}
