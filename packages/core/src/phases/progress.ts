import { type PhaseState, addCapped, type PhaseWork, type PastPhase } from './phase.ts';

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

/** Formats the progress of a long task on one line: `phase 2 of 5: Mend the tests (4 min of 15 min; 1 done, 20 %)`. */
export function formatPhaseLine(progress: PhaseProgress): string {
  const { current, total, overdue } = progress;
  if (current === null) return `no phase under way (${formatPhasesDone(progress)})`;
  const { number, description, elapsedMs, expectedMs } = current;
  const label = total === null ? `phase ${number}` : `phase ${number} of ${total}`;
  const expected = expectedMs === null ? '' : ` of ${formatPhaseDuration(expectedMs)}`;
  const time = `${formatPhaseDuration(elapsedMs)}${expected}${overdue ? ', overdue' : ''}`;
  return `${label}: ${toOneLine(description)} (${time}; ${formatPhasesDone(progress)})`;
}

/** Formats a completed phase on one line: `phase 2 done in 4 min: 3 files changed, 12 tests passed`. */
export function formatPastPhaseLine(phase: PastPhase): string {
  const { number, success, startedAt, endedAt, filesChanged, testsPassed, testsFailed, blockers } = phase;
  const work = [
    formatPhaseCount(filesChanged, 'file', 'changed'),
    formatPhaseCount(testsPassed, 'test', 'passed'),
    formatPhaseCount(testsFailed, 'test', 'failed'),
    ...blockers.slice(-1).map((blocker) => `blocked by ${toOneLine(blocker)}`),
  ].filter((text) => text !== '');
  const heading = `phase ${number} ${success ? 'done' : 'failed'} in ${formatPhaseDuration(Math.max(0, endedAt - startedAt))}`;
  return work.length === 0 ? heading : `${heading}: ${work.join(', ')}`;
}

function formatPhasesDone({ completed, failed, percent }: PhaseProgress): string {
  const share = percent === null ? '' : `, ${percent} %`;
  return `${completed} done${share}${failed === 0 ? '' : `, ${failed} of them failed`}`;
}

function formatPhaseCount(count: number, noun: string, participle: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'} ${participle}`;
}

function toOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** Formats a duration in a human-readable unit. */
function formatPhaseDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`;
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

/**
 * Maximum number of phases if no total is set. Each phase resets the governor, so a model that starts phase after phase
 * must be bounded.
 */
export const defaultPhasesMax = 100;

/** Returns the number after the highest current or completed phase. */
export function getNextPhaseNumber({ current, completed }: PhaseState): number {
  return completed.reduce((highest, { number }) => Math.max(highest, number), current?.number ?? 0) + 1;
}

/** Returns why a phase cannot be started, or null: phases only go forward, up to the total. */
export function findPhaseProblem(phases: PhaseState, number: number): string | null {
  const { total, current } = phases;
  const max = total ?? defaultPhasesMax;
  const next = getNextPhaseNumber(phases);
  const hint = next > max ? 'There is no phase left.' : `The next one is ${next}.`;
  if (!Number.isInteger(number) || number < 1 || number > max) {
    return `A phase has a whole number from 1 to ${max}, and this one has ${number}. ${hint}`;
  }
  if (number >= next || number === current?.number) return null;
  return `Phase ${number} is over, and phases only go forward. ${hint}`;
}
