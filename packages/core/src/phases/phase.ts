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

/** Which part of a long task this is. `completed` holds each phase number at most once. */
export type Phases = {
  readonly total: number | null;
  readonly current: Phase | null;
  readonly completed: readonly CompletedPhase[];
};
