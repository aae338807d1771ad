import type { Event } from './event.ts';
import { budget } from './governor/budget.ts';
import { govern } from './governor/govern.ts';
import type { Rule } from './governor/rule.ts';
import { rulesFor } from './governor/rulebook.ts';
import type { Session } from './session.ts';
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
 *
 * The governor looks first: what it finds joins the agenda of the turn. `ownRules` are judged after those of the
 * session's preset; whoever brings some must bring the same on replay.
 */
export function step(session: Session, event: Event, ownRules?: readonly Rule[]): Step {
  const { budgets, governor } = session.settings;
  const rules = isJudged(event) ? rulesFor(governor, ownRules) : noRules;
  if (rules.length === 0 && budgets === null) return take(session, event, ownRules);
  const judged = rules.length === 0 ? { session, event, notes: [] } : govern(session, event, rules);
  const governed = budgets === null ? judged : budget(judged, budgets);
  const result = take(governed.session, governed.event, ownRules);
  if (governed.session === session && governed.event === event) return result;
  // What the turn did not take, the governor has not seen either.
  if (result.session === governed.session) return { ...result, session };
  return governed.notes.length === 0 ? result : { ...result, notes: [...governed.notes, ...result.notes] };
}

/** The events that tell whether the work moves. */
function isJudged({ type }: Event): boolean {
  return (
    type === 'tool-finished' ||
    type === 'model-replied' ||
    type === 'user-message' ||
    type === 'paging-finished'
  );
}

const noRules: readonly Rule[] = [];

/**
 * Each table guarantees that the handler under an event's type takes that event, which the compiler cannot see. The
 * look-up stands here once for every state, and not in a function for all, because then the engine learns each by itself.
 */
function take(session: Session, event: Event, ownRules: readonly Rule[] | undefined): Step {
  const { turn } = session;
  switch (turn.status) {
    case 'waitingForUser':
      return waitingForUser[event.type](session, turn, event as never);
    case 'callingModel':
      return callingModel[event.type](session, turn, event as never);
    case 'awaitingPermission':
      return awaitingPermission[event.type](session, turn, event as never);
    case 'executingTools':
      return executingTools[event.type](session, turn, event as never);
    case 'postToolsHook':
      return postToolsHook[event.type](session, turn, event as never);
    case 'errorRecovery':
      return errorRecovery[event.type](session, turn, event as never);
    case 'paging':
      return paging[event.type](session, turn, event as never);
    case 'paused':
      return paused(session, turn, event, (held, heard) => step(held, heard, ownRules));
    case 'halted':
    case 'shuttingDown':
      return ended(session, turn, event);
    default:
      return turn satisfies never;
  }
}

/** Folds a log of events into the session they lead to. */
export function replay(session: Session, events: Iterable<Event>, ownRules?: readonly Rule[]): Session {
  let result = session;
  for (const event of events) result = step(result, event, ownRules).session;
  return result;
}
