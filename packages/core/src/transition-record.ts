import type { Note } from './note.ts';
import type { Session } from './session.ts';

/** A change of state as it stands in a log of its own: the same for the turn and for the mode, whatever the profile. */
export type TransitionRecord = {
  readonly ts: number;
  readonly profile: string;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly duration_ms: number;
};

/** The records of a step's notes; notes that are no transitions have none. */
export function transitionRecords(
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
