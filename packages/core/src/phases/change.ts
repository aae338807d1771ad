import type { Event } from '../event.ts';
import type { Note } from '../note.ts';
import { calm, type Session } from '../session.ts';
import type { CurrentPhase, PastPhase, Phases } from './phase.ts';
import { clipped, joined, noWork, withBlockers } from './work.ts';

type PhaseEvent = Extract<Event, { readonly type: 'phase-started' | 'phase-completed' }>;
type Changed = { readonly phases: Phases; readonly notes: readonly Note[] };
type Ending = { readonly at: number; readonly success: boolean; readonly summary: string | null };

/** Applies a change of phase at once. Error tracking starts afresh; what was done stays on record. */
export function changePhases(
  session: Session,
  event: PhaseEvent,
): { readonly session: Session; readonly notes: readonly Note[]; readonly failedPhase: number | null } {
  const { phases, notes } =
    event.type === 'phase-started' ? start(session.phases, event) : end(session.phases, event);
  const failed = event.type === 'phase-completed' && !event.success;
  return {
    session: { ...session, phases, governor: calm },
    notes,
    failedPhase: failed ? (session.phases.current?.number ?? null) : null,
  };
}

/** Starting a phase completes the one before it; starting the one under way says anew what it is about. */
function start(before: Phases, event: Extract<PhaseEvent, { readonly type: 'phase-started' }>): Changed {
  const { number, at } = event;
  const phases = planned(before, event.total);
  const expectedMs = expected(event.expectedMs);
  const description = clipped(event.description);
  const note: Note = { type: 'phase-started', at, number, description };
  const { current } = phases;
  if (current?.number === number) {
    return { phases: { ...phases, current: { ...current, description, expectedMs } }, notes: [note] };
  }
  const closed = complete(phases, { at, success: true, summary: null });
  return {
    phases: { ...closed.phases, current: { number, description, startedAt: at, expectedMs, ...noWork } },
    notes: [...closed.notes, note],
  };
}

function planned(phases: Phases, total: number | undefined): Phases {
  return total !== undefined && Number.isSafeInteger(total) && total > 0 ? { ...phases, total } : phases;
}

/** What is no length of time would not even survive being kept as JSON. */
function expected(ms: number | undefined): number | null {
  return ms !== undefined && Number.isFinite(ms) && ms >= 0 ? ms : null;
}

function end(phases: Phases, event: Extract<PhaseEvent, { readonly type: 'phase-completed' }>): Changed {
  const { at, success, summary, blockers = [] } = event;
  const told = blockers.length === 0 ? phases : blocked(phases, blockers);
  return complete(told, { at, success, summary: summary === undefined ? null : clipped(summary) });
}

function blocked(phases: Phases, blockers: readonly string[]): Phases {
  const { current, outside } = phases;
  if (current === null) return { ...phases, outside: withBlockers(outside, blockers) };
  return { ...phases, current: { ...current, ...withBlockers(current, blockers) } };
}

/** Completing is idempotent per phase number: a phase done, begun and done again is one phase on record. */
function complete(phases: Phases, { at, success, summary }: Ending): Changed {
  const { current, completed } = phases;
  if (current === null) return { phases, notes: [] };
  if (completed.some(({ number }) => number === current.number)) {
    return { phases: { ...phases, current: null, completed: doneAgain(completed, current) }, notes: [] };
  }
  const past: PastPhase = { ...current, endedAt: at, success, summary };
  return {
    phases: { ...phases, current: null, completed: [...completed, past] },
    notes: [{ type: 'phase-completed', at, number: current.number, success }],
  };
}

/** How a phase ended first is how it ended; what was done in it since is added to its record. */
function doneAgain(completed: readonly PastPhase[], current: CurrentPhase): readonly PastPhase[] {
  return completed.map((past) =>
    past.number === current.number ? { ...past, ...joined(past, current) } : past,
  );
}
