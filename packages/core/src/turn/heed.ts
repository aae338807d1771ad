import { fillWith } from '../memory/window.ts';
import { beginAgain } from '../modes/mode.ts';
import { calm, type Governor, type Session } from '../session.ts';
import { hearPerson } from '../trackers/in-session.ts';

/**
 * A person's word changes what the work is about, so that what happened before is another story: for the governor, for the
 * mode and for the clock. It does so when the model is about to hear it and not when it is said, since what is still under
 * way then is the old work.
 */
export function heed(session: Session, said: readonly string[], at: number): Session {
  const { settings, mode, window } = session;
  const governor = afresh(session, at);
  // Most sessions have nothing to begin anew, and this runs in every turn.
  if (governor === session.governor && mode === null && window === null) return startWork(session, at);
  return startWork(
    {
      ...session,
      governor,
      mode: mode === null || settings.chart === null ? mode : beginAgain(mode, settings.chart, at),
      window: window === null ? window : said.reduce(fillWith, window),
    },
    at,
  );
}

/** The clock of a turn starts when the user has spoken. */
export function startWork(session: Session, at: number): Session {
  return session.settings.budgets === null
    ? session
    : { ...session, spent: { ...session.spent, workingSince: at } };
}

/** What a tracker is to forget, it knows itself. */
function afresh({ governor: { tracker }, settings }: Session, at: number): Governor {
  return tracker === null ? calm : { ...calm, tracker: hearPerson(tracker, settings.governor, at) };
}
