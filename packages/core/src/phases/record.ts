import type { ToolFinished } from '../event.ts';
import type { Session } from '../session.ts';
import type { Phases } from './phase.ts';
import { withCall } from './work.ts';

/** Writes down what a call did, in the phase under way or outside of any; the same session if it did nothing of note. */
export function recordPhaseWork(session: Session, event: ToolFinished): Session {
  if (event.files === undefined && event.tests === undefined) return session;
  const phases = withWork(session.phases, event);
  return phases === session.phases ? session : { ...session, phases };
}

function withWork(phases: Phases, event: ToolFinished): Phases {
  const { current, outside } = phases;
  if (current === null) {
    const work = withCall(outside, event);
    return work === outside ? phases : { ...phases, outside: work };
  }
  const work = withCall(current, event);
  return work === current ? phases : { ...phases, current: { ...current, ...work } };
}
