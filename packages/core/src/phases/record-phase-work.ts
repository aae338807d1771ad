import type { ToolFinished } from '../event.ts';
import type { Session } from '../session.ts';
import type { PhaseState } from './phase.ts';
import { addCallEffects } from './phase-work.ts';

/** Records the effects of a call in the current phase or outside any; returns the same session if there are none. */
export function recordPhaseWork(session: Session, event: ToolFinished): Session {
  if (event.files === undefined && event.tests === undefined) return session;
  const phases = addPhaseWork(session.phases, event);
  return phases === session.phases ? session : { ...session, phases };
}

function addPhaseWork(phases: PhaseState, event: ToolFinished): PhaseState {
  const { current, outside } = phases;
  if (current === null) {
    const work = addCallEffects(outside, event);
    return work === outside ? phases : { ...phases, outside: work };
  }
  const work = addCallEffects(current, event);
  return work === current ? phases : { ...phases, current: { ...current, ...work } };
}
