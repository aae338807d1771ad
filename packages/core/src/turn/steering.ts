import { restartOnUserMessage } from '@pawl/governor/session-tracker';
import { addTextTokens } from '../memory/estimate-tokens.ts';
import { restartTerminalMode } from '../modes/mode.ts';
import { initialGovernor, type GovernorState, type Session } from '../session/session.ts';

/**
 * Steering changes the task, so the governor, the mode and the work clock restart. This happens when the model is about
 * to receive the message and not when the user sends it, because work in progress until then belongs to the old task.
 */
export function applySteering(session: Session, messages: readonly string[], at: number): Session {
  const { settings, mode, window } = session;
  const governor = restartGovernor(session, at);
  // Fast path: most sessions have nothing to reset, and this runs in every turn.
  if (governor === session.governor && mode === null && window === null) return startWorkClock(session, at);
  return startWorkClock(
    {
      ...session,
      governor,
      mode: mode === null || settings.chart === null ? mode : restartTerminalMode(mode, settings.chart, at),
      window: window === null ? window : messages.reduce(addTextTokens, window),
    },
    at,
  );
}

/** The work clock of a turn starts with the user's message. */
export function startWorkClock(session: Session, at: number): Session {
  return session.settings.budgets === null
    ? session
    : { ...session, budgetUsage: { ...session.budgetUsage, workingSince: at } };
}

/** A tracker decides itself which part of its state to reset. */
function restartGovernor({ governor: { tracker }, settings }: Session, at: number): GovernorState {
  return tracker === null
    ? initialGovernor
    : { ...initialGovernor, tracker: restartOnUserMessage(tracker, settings.governor, at) };
}
