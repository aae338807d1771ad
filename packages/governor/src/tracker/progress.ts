import { takeTailWhile } from '../rules/window-queries.ts';
import type { TrackerDetectorState } from './presets.ts';
import type { TrackerState } from './track-record.ts';

/** Progress statistics. "Recent" covers what is still remembered since the latest phase started. */
export type ProgressStats = {
  readonly calls: number;
  readonly filesModified: number;
  readonly commandsExecuted: number;
  readonly testsPassed: number;
  readonly testsFailed: number;
  readonly recentSuccesses: number;
  readonly recentFailures: number;
  readonly consecutiveErrors: number;
  readonly duplicateMessages: number;
  readonly milestones: number;
};

export type TotalProgress = {
  readonly totalPhases: number | null;
  readonly completedPhases: number;
  readonly successfulPhases: number;
  readonly currentPhase: number | null;
  readonly calls: number;
  readonly filesChanged: number;
  readonly testsPassed: number;
};

export function computeProgress({ mind, ledger }: TrackerState): ProgressStats {
  const isNexora = mind.kind === 'nexora';
  const successes = isNexora ? mind.actions.filter(({ success }) => success).length : ledger.successes;
  return {
    calls: ledger.callsEnded,
    filesModified: ledger.filesModified,
    commandsExecuted: ledger.commandsExecuted,
    testsPassed: ledger.testsPassed,
    testsFailed: ledger.testsFailed,
    recentSuccesses: successes,
    recentFailures: isNexora ? mind.actions.length - successes : ledger.failures,
    consecutiveErrors: countConsecutiveErrors(mind),
    duplicateMessages: ledger.duplicateMessages,
    milestones: ledger.milestonesReached,
  };
}

function countConsecutiveErrors(mind: TrackerDetectorState): number {
  switch (mind.kind) {
    case 'pawl':
      return takeTailWhile(mind.seen.work, ({ error }) => error !== null).length;
    case 'nexora':
      return mind.consecutiveErrors;
    case 'savant':
      return mind.failedDecisions;
    default:
      return mind satisfies never;
  }
}

export function computeTotalProgress({ ledger, phases }: TrackerState): TotalProgress {
  return {
    totalPhases: phases.total,
    completedPhases: phases.completed.length,
    successfulPhases: phases.completed.filter(({ success }) => success).length,
    currentPhase: phases.current?.number ?? null,
    calls: ledger.callsEnded,
    filesChanged: ledger.filesModified,
    testsPassed: ledger.testsPassed,
  };
}
