import { logPatches, hasLogPatch } from '../log-version.ts';
import { isEphemeralEvent, type Event } from '../event.ts';
import type { Session } from '../session.ts';
import type { SessionStep } from '../turn/transition-turn.ts';
import type { TurnState } from '../turn/state.ts';

/** Runs a step of a session with a budget. Its clock stops while the session is paused or waits for a permission. */
export function runOnBudgetClock(
  session: Session,
  event: Event,
  take: (session: Session) => SessionStep,
): SessionStep {
  if (isEphemeralEvent(event)) return take(session);
  const running = resumeClock(session, event.at);
  const step = take(running);
  if (step.session !== running) return stopClock(step, event.at);
  // A refused event does not move the clock.
  return running === session ? step : { ...step, session };
}

function resumeClock(session: Session, at: number): Session {
  const { waitingSince, ...spent } = session.spent;
  if (waitingSince === undefined) return session;
  const waitedMs = at > waitingSince ? at - waitingSince : 0;
  return { ...session, spent: { ...spent, workingSince: spent.workingSince + waitedMs } };
}

function stopClock(step: SessionStep, at: number): SessionStep {
  const { session } = step;
  if (!isClockStopped(session.turn) || !hasLogPatch(session, logPatches.countsAreFair)) return step;
  return { ...step, session: { ...session, spent: { ...session.spent, waitingSince: at } } };
}

function isClockStopped({ status }: TurnState): boolean {
  return status === 'awaitingPermission' || status === 'paused';
}
