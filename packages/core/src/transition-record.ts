import type { Note } from './note.ts';
import type { Session } from './session.ts';

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
