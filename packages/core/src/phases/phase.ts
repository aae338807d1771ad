import type { CompletedPhase, Phase } from '@pawl/governor';
import type { PhaseWork } from './phase-work.ts';

export type { CompletedPhase, Phase };

/** The current phase with the work done so far. */
export type CurrentPhase = Phase & PhaseWork;

/** A completed phase. `summary` comes from the event that completed it, if given. */
export type PastPhase = CompletedPhase & PhaseWork & { readonly summary: string | null };

/** The phases of a long task. `completed` holds each phase number at most once. */
export type PhaseState = {
  readonly total: number | null;
  readonly current: CurrentPhase | null;
  readonly completed: readonly PastPhase[];
  /** Work done outside any phase. */
  readonly outside: PhaseWork;
};
