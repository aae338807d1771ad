import type { Event } from './event.ts';
import { budget } from './governor/budget.ts';
import { governByTracker, keepTracker } from './governor/by-tracker.ts';
import { onTheClock } from './governor/clock.ts';
import { govern } from './governor/govern.ts';
import { judgeMode } from './governor/judge-mode.ts';
import type { Governed } from './governor/governed.ts';
import type { Rule } from './governor/rule.ts';
import { rulesFor } from './governor/rulebook.ts';
import { memorise } from './memory/memorise.ts';
import { fill, type ModelWindow } from './memory/window.ts';
import { fallWhenStuck, guide } from './modes/guide.ts';
import type { Session } from './session.ts';
import type { SessionTracker } from './trackers/in-session.ts';
import { makeRoomFirst } from './turn/make-room.ts';
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
  const rules = isJudged(event) ? rulesFor(session.settings.governor, ownRules) : noRules;
  if (rules.length === 0 && trackerIn(session) === null && isPlain(session))
    return take(session, event, ownRules);
  return session.settings.budgets === null
    ? takeGoverned(session, event, rules, ownRules)
    : onTheClock(session, event, (timed) => takeGoverned(timed, event, rules, ownRules));
}

/** What comes in during a pause is told by the step that takes it. */
function trackerIn({ turn, governor }: Session): SessionTracker | null {
  return turn.status === 'paused' ? null : governor.tracker;
}

/** Everything that goes with an event has its say before the turn takes it. */
function takeGoverned(
  session: Session,
  event: Event,
  rules: readonly Rule[],
  ownRules: readonly Rule[] | undefined,
): Step {
  const tracker = trackerIn(session);
  const attended = attend(session, event);
  const governed = judge(attended, rules, tracker);
  const taken = makeRoomFirst(session, event, take(governed.session, governed.event, ownRules));
  const result = tracker === null ? taken : keepTracker(taken, governed.session.governor.tracker);
  if (governed.session === session && governed.event === event) return result;
  // What the turn did not take, nobody else has seen either.
  if (result.session === governed.session) return { ...result, session };
  const { notes } = governed;
  const { actions = [] } = attended;
  if (notes.length + actions.length === 0) return result;
  const { session: after } = result;
  return { session: after, actions: [...actions, ...result.actions], notes: [...notes, ...result.notes] };
}

/** Nothing but the turn has to do with an event. */
function isPlain({ settings: { budgets }, mode, memory, window }: Session): boolean {
  return budgets === null && mode === null && memory === null && window === null;
}

/** The mode and the memory go along with an event. */
function attend(session: Session, event: Event): Governed {
  const { chart } = session.settings;
  const guided = chart === null ? { session, event, notes: [] } : guide(session, event, chart);
  const filled = session.window === null ? guided : withWindow(guided, session.window);
  const { memory } = filled.session;
  return memory === null ? filled : memorise(filled, memory);
}

function withWindow(guided: Governed, window: ModelWindow): Governed {
  const { session, event } = guided;
  const after = fill(window, session.turn, event);
  return after === window ? guided : { ...guided, session: { ...session, window: after } };
}

function judge(attended: Governed, rules: readonly Rule[], tracker: SessionTracker | null): Governed {
  const { budgets, chart } = attended.session.settings;
  let judged =
    rules.length === 0 ? attended : noting(attended, govern(attended.session, attended.event, rules));
  if (chart !== null && rules.length > 0) judged = judgeMode(judged, chart, rules);
  if (tracker !== null) judged = governByTracker(judged, tracker);
  if (budgets !== null) judged = budget(judged, budgets);
  return chart === null ? judged : fallWhenStuck(judged, chart);
}

function noting(before: Governed, after: Governed): Governed {
  return before.notes.length === 0 ? after : { ...after, notes: [...before.notes, ...after.notes] };
}

/** The events that tell whether the work moves. */
function isJudged({ type }: Event): boolean {
  return (
    type === 'tool-finished' ||
    type === 'model-replied' ||
    type === 'user-message' ||
    type === 'permission-decided' ||
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
