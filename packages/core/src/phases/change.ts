import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import { calm, type Session } from '../session.ts';
import type { Phases } from './phase.ts';

type PhaseEvent = Extract<Event, { readonly type: 'phase-started' | 'phase-completed' }>;
type Changed = { readonly phases: Phases; readonly notes: readonly Note[] };

/** Applies a change of phase at once. Error tracking starts afresh; what was done stays on record. */
export function changePhases(
  session: Session,
  event: PhaseEvent,
): { readonly session: Session; readonly notes: readonly Note[]; readonly failedPhase: number | null } {
  const { phases, notes } =
    event.type === 'phase-started' ? start(session.phases, event) : end(session, event);
  const failed = event.type === 'phase-completed' && !event.success;
  return {
    session: { ...session, phases, governor: calm },
    notes,
    failedPhase: failed ? (session.phases.current?.number ?? null) : null,
  };
}

/** Starting a phase completes the one before it. */
function start(phases: Phases, event: Extract<PhaseEvent, { readonly type: 'phase-started' }>): Changed {
  const before = complete(phases, true, event.at);
  const { number, description, expectedMs = null, at } = event;
  return {
    phases: { ...before.phases, current: { number, description, startedAt: at, expectedMs } },
    notes: [...before.notes, { type: 'phase-started', at, number, description }],
  };
}

function end(session: Session, event: Extract<PhaseEvent, { readonly type: 'phase-completed' }>): Changed {
  return complete(session.phases, event.success, event.at);
}

/** Completing is idempotent per phase number: a phase done, begun and done again is one phase on record. */
function complete(phases: Phases, success: boolean, at: number): Changed {
  const { total, current, completed } = phases;
  if (current === null) return { phases, notes: [] };
  if (completed.some((phase) => phase.number === current.number)) {
    return { phases: { total, current: null, completed }, notes: [] };
  }
  return {
    phases: { total, current: null, completed: [...completed, { ...current, endedAt: at, success }] },
    notes: [{ type: 'phase-completed', at, number: current.number, success }],
  };
}
