import type { Note } from './note.ts';
import type { Step } from './turn/move.ts';

/** Callbacks for those who would rather be told than look. Actions and notes stay the primary channel. */
export type Observers = {
  readonly onNote?: (note: Note) => void;
  readonly onStateChange?: (note: Extract<Note, { readonly type: 'transition' }>) => void;
  readonly onModeChange?: (note: Extract<Note, { readonly type: 'mode' }>) => void;
  readonly onRefused?: (note: Extract<Note, { readonly type: 'refused' }>) => void;
  readonly onVerdict?: (note: Extract<Note, { readonly type: 'verdict' }>) => void;
};

/** Calls the observers in order, after the change. What one throws is returned, and never breaks the machine. */
export function notify({ notes }: Step, observers: Observers): readonly unknown[] {
  const thrown: unknown[] = [];
  for (const note of notes) {
    for (const tell of [observers.onNote, specific(note, observers)]) {
      try {
        tell?.(note as never);
      } catch (error) {
        thrown.push(error);
      }
    }
  }
  return thrown;
}

function specific(note: Note, observers: Observers): ((note: never) => void) | undefined {
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
