import type { PastPhase } from './phase.ts';
import type { PhaseProgress } from './progress.ts';

/** Formats the progress of a long task on one line: `phase 2 of 5: Mend the tests (4 min of 15 min; 1 done, 20 %)`. */
export function formatPhaseLine(progress: PhaseProgress): string {
  const { current, total, overdue } = progress;
  if (current === null) return `no phase under way (${formatPhasesDone(progress)})`;
  const { number, description, elapsedMs, expectedMs } = current;
  const which = total === null ? `phase ${number}` : `phase ${number} of ${total}`;
  const expected = expectedMs === null ? '' : ` of ${formatPhaseDuration(expectedMs)}`;
  const time = `${formatPhaseDuration(elapsedMs)}${expected}${overdue ? ', overdue' : ''}`;
  return `${which}: ${toOneLine(description)} (${time}; ${formatPhasesDone(progress)})`;
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
  const how = `phase ${number} ${success ? 'done' : 'failed'} in ${formatPhaseDuration(Math.max(0, endedAt - startedAt))}`;
  return work.length === 0 ? how : `${how}: ${work.join(', ')}`;
}

function formatPhasesDone({ completed, failed, percent }: PhaseProgress): string {
  const share = percent === null ? '' : `, ${percent} %`;
  return `${completed} done${share}${failed === 0 ? '' : `, ${failed} of them failed`}`;
}

function formatPhaseCount(many: number, thing: string, what: string): string {
  return many === 0 ? '' : `${many} ${thing}${many === 1 ? '' : 's'} ${what}`;
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
