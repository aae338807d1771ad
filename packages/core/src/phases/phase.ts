import type { PhaseWork } from './work.ts';

/** One part of a long task. */
export type Phase = {
  readonly number: number;
  readonly description: string;
  readonly startedAt: number;
  readonly expectedMs: number | null;
};

export type CompletedPhase = Phase & {
  readonly endedAt: number;
  readonly success: boolean;
};

/** The phase under way, with what was done in it so far. */
export type CurrentPhase = Phase & PhaseWork;

/** A phase on record. `summary` is what whoever completed it said of it, if they said anything. */
export type PastPhase = CompletedPhase & PhaseWork & { readonly summary: string | null };

/** Which part of a long task this is. `completed` holds each phase number at most once. */
export type Phases = {
  readonly total: number | null;
  readonly current: CurrentPhase | null;
  readonly completed: readonly PastPhase[];
  /** What was done while no phase was under way. */
  readonly outside: PhaseWork;
};
