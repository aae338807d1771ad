import type { Event, ToolFinished } from '../session/event.ts';
import type { Note } from '../session/note.ts';
import { initialGovernor, type Session } from '../session/session.ts';
import {
  clipPhaseText,
  mergePhaseWork,
  emptyPhaseWork,
  addBlockers,
  addPhaseWork,
  type CurrentPhase,
  type PastPhase,
  type PhaseState,
} from '../phases/phase.ts';

export type PhaseChangeEvent = Extract<Event, { readonly type: 'phase-started' | 'phase-completed' }>;
type PhaseChangeResult = { readonly phases: PhaseState; readonly notes: readonly Note[] };
type PhaseCompletion = { readonly at: number; readonly success: boolean; readonly summary: string | null };

/** Applies a phase change immediately. It resets the governor; the recorded work stays. */
export function changePhases(
  session: Session,
  event: PhaseChangeEvent,
): { readonly session: Session; readonly notes: readonly Note[]; readonly failedPhase: number | null } {
  const { phases, notes } =
    event.type === 'phase-started' ? startPhase(session.phases, event) : endPhase(session.phases, event);
  const failed = event.type === 'phase-completed' && !event.success;
  return {
    session: { ...session, phases, governor: initialGovernor },
    notes,
    failedPhase: failed ? (session.phases.current?.number ?? null) : null,
  };
}

/**
 * Starting a phase completes the previous one; starting the current one again updates its description and expected
 * duration.
 */
function startPhase(
  before: PhaseState,
  event: Extract<PhaseChangeEvent, { readonly type: 'phase-started' }>,
): PhaseChangeResult {
  const { number, at } = event;
  const phases = setPlannedTotal(before, event.total);
  const expectedMs = toExpectedDuration(event.expectedMs);
  const description = clipPhaseText(event.description);
  const note: Note = { type: 'phase-started', at, number, description };
  const { current } = phases;
  if (current?.number === number) {
    return { phases: { ...phases, current: { ...current, description, expectedMs } }, notes: [note] };
  }
  const closing = completeCurrentPhase(phases, { at, success: true, summary: null });
  return {
    phases: {
      ...closing.phases,
      current: { number, description, startedAt: at, expectedMs, ...emptyPhaseWork },
    },
    notes: [...closing.notes, note],
  };
}

function setPlannedTotal(phases: PhaseState, total: number | undefined): PhaseState {
  return total !== undefined && Number.isSafeInteger(total) && total > 0 ? { ...phases, total } : phases;
}

/** Rejects values that are not a duration, because NaN and Infinity do not survive JSON. */
function toExpectedDuration(ms: number | undefined): number | null {
  return ms !== undefined && Number.isFinite(ms) && ms >= 0 ? ms : null;
}

function endPhase(
  phases: PhaseState,
  event: Extract<PhaseChangeEvent, { readonly type: 'phase-completed' }>,
): PhaseChangeResult {
  const { at, success, summary, blockers = [] } = event;
  const updated = blockers.length === 0 ? phases : addCurrentBlockers(phases, blockers);
  return completeCurrentPhase(updated, {
    at,
    success,
    summary: summary === undefined ? null : clipPhaseText(summary),
  });
}

function addCurrentBlockers(phases: PhaseState, blockers: readonly string[]): PhaseState {
  const { current, outside } = phases;
  if (current === null) return { ...phases, outside: addBlockers(outside, blockers) };
  return { ...phases, current: { ...current, ...addBlockers(current, blockers) } };
}

/** Completion is idempotent per phase number: a phase that is repeated is recorded once. */
function completeCurrentPhase(
  phases: PhaseState,
  { at, success, summary }: PhaseCompletion,
): PhaseChangeResult {
  const { current, completed } = phases;
  if (current === null) return { phases, notes: [] };
  if (completed.some(({ number }) => number === current.number)) {
    return {
      phases: { ...phases, current: null, completed: mergeRepeatedPhase(completed, current) },
      notes: [],
    };
  }
  const past: PastPhase = { ...current, endedAt: at, success, summary };
  return {
    phases: { ...phases, current: null, completed: [...completed, past] },
    notes: [{ type: 'phase-completed', at, number: current.number, success }],
  };
}

/** Keeps the first result of a phase and adds the work done since. */
function mergeRepeatedPhase(completed: readonly PastPhase[], current: CurrentPhase): readonly PastPhase[] {
  return completed.map((past) =>
    past.number === current.number ? { ...past, ...mergePhaseWork(past, current) } : past,
  );
}

/** Records the effects of a call in the current phase or outside any; returns the same session if there are none. */
export function recordPhaseWork(session: Session, event: ToolFinished): Session {
  if (event.files === undefined && event.tests === undefined) return session;
  const phases = addPhaseWork(session.phases, event);
  return phases === session.phases ? session : { ...session, phases };
}
