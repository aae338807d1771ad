import type { Phases } from './phase.ts';
import { sum, type PhaseWork } from './work.ts';

/** What was done in all phases and outside of any, added up. A file changed in two phases counts in both. */
export type PhaseTotals = {
  readonly filesChanged: number;
  readonly testsPassed: number;
  readonly testsFailed: number;
  readonly blockers: number;
};

export function phaseTotals({ current, completed, outside }: Phases): PhaseTotals {
  const start: PhaseTotals = { filesChanged: 0, testsPassed: 0, testsFailed: 0, blockers: 0 };
  const all: readonly PhaseWork[] = [outside, ...completed, ...(current === null ? [] : [current])];
  return all.reduce(
    (totals, work) => ({
      filesChanged: sum(totals.filesChanged, work.filesChanged),
      testsPassed: sum(totals.testsPassed, work.testsPassed),
      testsFailed: sum(totals.testsFailed, work.testsFailed),
      blockers: totals.blockers + work.blockers.length,
    }),
    start,
  );
}

/** How far a long task is. */
export type PhaseProgress = {
  readonly current: {
    readonly number: number;
    readonly description: string;
    readonly elapsedMs: number;
    readonly expectedMs: number | null;
  } | null;
  /** How many phases have ended, and how many of these failed. */
  readonly done: number;
  readonly failed: number;
  readonly total: number | null;
  /** How many of all phases have ended, in whole percent; null where nobody knows how many there will be. */
  readonly percent: number | null;
  /** Whether the phase under way takes longer than expected. */
  readonly overdue: boolean;
};

export function phaseProgress({ current, completed, total }: Phases, at: number): PhaseProgress {
  const done = completed.length;
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
    done,
    failed: completed.filter(({ success }) => !success).length,
    total,
    percent: total === null || !(total > 0) ? null : Math.floor((100 * Math.min(done, total)) / total),
    overdue: current !== null && current.expectedMs !== null && elapsedMs > current.expectedMs,
  };
}
