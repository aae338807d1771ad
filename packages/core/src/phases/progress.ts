import type { PhaseState } from './phase.ts';
import { addCapped, type PhaseWork } from './phase-work.ts';

/** Totals over all phases and the work outside them. A file changed in two phases counts twice. */
export type PhaseTotals = {
  readonly filesChanged: number;
  readonly testsPassed: number;
  readonly testsFailed: number;
  readonly blockers: number;
};

export function computePhaseTotals({ current, completed, outside }: PhaseState): PhaseTotals {
  const start: PhaseTotals = { filesChanged: 0, testsPassed: 0, testsFailed: 0, blockers: 0 };
  const all: readonly PhaseWork[] = [outside, ...completed, ...(current === null ? [] : [current])];
  return all.reduce(
    (totals, work) => ({
      filesChanged: addCapped(totals.filesChanged, work.filesChanged),
      testsPassed: addCapped(totals.testsPassed, work.testsPassed),
      testsFailed: addCapped(totals.testsFailed, work.testsFailed),
      blockers: totals.blockers + work.blockers.length,
    }),
    start,
  );
}

/** Progress of a long task. */
export type PhaseProgress = {
  readonly current: {
    readonly number: number;
    readonly description: string;
    readonly elapsedMs: number;
    readonly expectedMs: number | null;
  } | null;
  /** Number of completed phases, and how many of them failed. */
  readonly completed: number;
  readonly failed: number;
  readonly total: number | null;
  /** Share of completed phases in whole percent; null if the total is unknown. */
  readonly percent: number | null;
  /** Whether the current phase takes longer than expected. */
  readonly overdue: boolean;
};

export function computePhaseProgress({ current, completed, total }: PhaseState, at: number): PhaseProgress {
  const completedCount = completed.length;
  const elapsedMs = current === null ? 0 : Math.max(0, at - current.startedAt);
  return {
    current:
      current === null
        ? null
        : {
            number: current.number,
            description: current.description,
            elapsedMs,
            expectedMs: current.expectedMs,
          },
    completed: completedCount,
    failed: completed.filter(({ success }) => !success).length,
    total,
    percent:
      total === null || !(total > 0) ? null : Math.floor((100 * Math.min(completedCount, total)) / total),
    overdue: current !== null && current.expectedMs !== null && elapsedMs > current.expectedMs,
  };
}
