import { logPatches, hasLogPatch } from '../log-version.ts';
import type { Session } from '../session.ts';
import type { TurnState } from '../turn/state.ts';

/*
 * The clock of the time budget. It stops while the session is paused or waits for a permission, because a person's
 * absence must not use up the agent's time.
 */

export function resumeBudgetClock(session: Session, at: number): Session {
  const { waitingSince, ...spent } = session.budgetUsage;
  if (waitingSince === undefined) return session;
  const waitedMs = at > waitingSince ? at - waitingSince : 0;
  return { ...session, budgetUsage: { ...spent, workingSince: spent.workingSince + waitedMs } };
}

export function stopBudgetClock(session: Session, at: number): Session {
  if (!isClockStopped(session.turn) || !hasLogPatch(session, logPatches.countsAreFair)) return session;
  return { ...session, budgetUsage: { ...session.budgetUsage, waitingSince: at } };
}

function isClockStopped({ status }: TurnState): boolean {
  return status === 'awaitingPermission' || status === 'paused';
}
