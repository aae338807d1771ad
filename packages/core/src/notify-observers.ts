import type { Note } from './session/note.ts';
import type { Session } from './session/session.ts';
import type { SessionStep } from './session/session-step.ts';

/** Callbacks for callers that prefer push over reading the step; actions and notes remain the primary channel. */
export type StepObservers = {
  readonly onNote?: (note: Note) => void;
  readonly onStateChange?: (note: Extract<Note, { readonly type: 'transition' }>) => void;
  readonly onModeChange?: (note: Extract<Note, { readonly type: 'mode' }>) => void;
  readonly onRefused?: (note: Extract<Note, { readonly type: 'refused' }>) => void;
  readonly onVerdict?: (note: Extract<Note, { readonly type: 'verdict' }>) => void;
};

/**
 * Calls the observers in order, after the state change. Errors they throw are returned and never affect the machine.
 */
export function notifyObservers({ notes }: SessionStep, observers: StepObservers): readonly unknown[] {
  const errors: unknown[] = [];
  for (const note of notes) {
    for (const observer of [observers.onNote, selectObserver(note, observers)]) {
      try {
        observer?.(note as never);
      } catch (error) {
        errors.push(error);
      }
    }
  }
  return errors;
}

function selectObserver(note: Note, observers: StepObservers): ((note: never) => void) | undefined {
  switch (note.type) {
    case 'transition':
      return observers.onStateChange;
    case 'refused':
      return observers.onRefused;
    case 'verdict':
      return observers.onVerdict;
    case 'mode':
      return observers.onModeChange;
    case 'paged':
    case 'phase-started':
    case 'phase-completed':
      return undefined;
    default:
      return note satisfies never;
  }
}

/** A state change as written to a transition log, in the same format for turns and modes and for every profile. */
export type TransitionRecord = {
  readonly ts: number;
  readonly profile: string;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly duration_ms: number;
};

/** Returns the records of a step's transition notes; other notes produce none. */
export function toTransitionRecords(
  notes: readonly Note[],
  { profile }: Pick<Session, 'profile'>,
): readonly TransitionRecord[] {
  return notes.flatMap((note) =>
    note.type === 'transition' || note.type === 'mode'
      ? [
          {
            ts: note.at,
            profile,
            from: note.from,
            to: note.to,
            cause: note.cause,
            duration_ms: note.durationMs,
          },
        ]
      : [],
  );
}
