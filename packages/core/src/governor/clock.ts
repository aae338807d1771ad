import { behaviours, isAtLeast } from '../behaviour.ts';
import { isEphemeral, type Event } from '../event.ts';
import type { Session } from '../session.ts';
import type { Step } from '../turn/move.ts';
import type { Turn } from '../turn/state.ts';

/** Takes a step of a session with a budget. Its clock stands still while a permission is waited for, or while it is paused. */
export function onTheClock(session: Session, event: Event, take: (session: Session) => Step): Step {
  if (isEphemeral(event)) return take(session);
  const running = withClockRunning(session, event.at);
  const step = take(running);
  if (step.session !== running) return withClockStopped(step, event.at);
  // An event that was not taken moves no clock either.
  return running === session ? step : { ...step, session };
}

function withClockRunning(session: Session, at: number): Session {
  const { waitingSince, ...spent } = session.spent;
  if (waitingSince === undefined) return session;
  const waitedMs = at > waitingSince ? at - waitingSince : 0;
  return { ...session, spent: { ...spent, workingSince: spent.workingSince + waitedMs } };
}

function withClockStopped(step: Step, at: number): Step {
  const { session } = step;
  if (!isWaiting(session.turn) || !isAtLeast(session, behaviours.countsAreFair)) return step;
  return { ...step, session: { ...session, spent: { ...session.spent, waitingSince: at } } };
}

function isWaiting({ status }: Turn): boolean {
  return status === 'awaitingPermission' || status === 'paused';
}
