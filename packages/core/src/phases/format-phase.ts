import type { PastPhase } from './phase.ts';
import type { PhaseProgress } from './progress.ts';

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
