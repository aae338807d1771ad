import type { Event } from './event.ts';
import type { Session } from './session.ts';
import { handle } from './turn/handlers.ts';
import type { Step } from './turn/move.ts';
import { awaitingPermission } from './turn/states/awaiting-permission.ts';
import { callingModel } from './turn/states/calling-model.ts';
import { ended } from './turn/states/ended.ts';
import { errorRecovery } from './turn/states/error-recovery.ts';
import { executingTools } from './turn/states/executing-tools.ts';
import { paging } from './turn/states/paging.ts';
import { paused } from './turn/states/paused.ts';
import { postToolsHook } from './turn/states/post-tools-hook.ts';
import { waitingForUser } from './turn/states/waiting-for-user.ts';

/**
 * The heart: one event in, the next session out, with what the caller must now do and what is worth recording.
 * Pure and synchronous; it never throws, whatever the order of events. An event that does not fit changes nothing.
 */
export function step(session: Session, event: Event): Step {
  const { turn } = session;
  switch (turn.status) {
    case 'waitingForUser':
      return handle(waitingForUser, session, turn, event);
    case 'callingModel':
      return handle(callingModel, session, turn, event);
    case 'awaitingPermission':
      return handle(awaitingPermission, session, turn, event);
    case 'executingTools':
      return handle(executingTools, session, turn, event);
    case 'postToolsHook':
      return handle(postToolsHook, session, turn, event);
    case 'errorRecovery':
      return handle(errorRecovery, session, turn, event);
    case 'paging':
      return handle(paging, session, turn, event);
    case 'paused':
      return paused(session, turn, event, step);
    case 'halted':
    case 'shuttingDown':
      return ended(session, turn, event);
    default:
      return turn satisfies never;
  }
}

/** Folds a log of events into the session they lead to. */
export function replay(session: Session, events: Iterable<Event>): Session {
  let result = session;
  for (const event of events) result = step(result, event).session;
  return result;
}
