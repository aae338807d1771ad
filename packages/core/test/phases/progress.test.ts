import { describe, expect, it } from 'vitest';
import type { PhaseState } from '../../src/phases-entry.ts';
import {
  formatPastPhaseLine,
  formatPhaseLine,
  computePhaseProgress,
  computePhaseTotals,
} from '../../src/phases/progress.ts';
import { type PastPhase, emptyPhaseWork } from '../../src/phases/phase.ts';

const minuteMs = 60_000;

function createPastPhase(number: number, change: Partial<PastPhase> = {}): PastPhase {
  return {
    number,
    description: `part ${number}`,
    startedAt: 0,
    expectedMs: null,
    endedAt: minuteMs,
    success: true,
    summary: null,
    ...emptyPhaseWork,
    ...change,
  };
}

function createPhaseState(change: Partial<PhaseState>): PhaseState {
  return { total: null, current: null, completed: [], outside: emptyPhaseWork, ...change };
}

const formatProgressLine = (phases: PhaseState, at: number) =>
  formatPhaseLine(computePhaseProgress(phases, at));

const currentPhase = {
  number: 3,
  description: 'Mend\n the tests ',
  startedAt: minuteMs,
  expectedMs: 15 * minuteMs,
  ...emptyPhaseWork,
};
const phasesInProgress = createPhaseState({
  total: 5,
  current: currentPhase,
  completed: [createPastPhase(1), createPastPhase(2, { success: false })],
});

describe('computePhaseProgress', () => {
  it('reports the current phase, the completed count, the total, and whether it is overdue [NEX-69]', () => {
    expect(computePhaseProgress(phasesInProgress, 5 * minuteMs)).toEqual({
      current: {
        number: 3,
        description: 'Mend\n the tests ',
        elapsedMs: 4 * minuteMs,
        expectedMs: 15 * minuteMs,
      },
      completed: 2,
      failed: 1,
      total: 5,
      percent: 40,
      overdue: false,
    });
  });

  it.each([
    [16 * minuteMs, false],
    [16 * minuteMs + 1, true],
  ])('at %i ms reports a phase of 15 minutes that started at one as overdue: %s', (at, overdue) => {
    expect(computePhaseProgress(phasesInProgress, at).overdue).toBe(overdue);
  });

  it('never reports a phase without an expected duration as overdue', () => {
    const phases = createPhaseState({ current: { ...currentPhase, expectedMs: null } });
    expect(computePhaseProgress(phases, Number.MAX_SAFE_INTEGER).overdue).toBe(false);
  });

  it('has no percentage without a total, and never more than a hundred', () => {
    const completed = [1, 2, 3].map((number) => createPastPhase(number));
    const percent = (total: number | null) =>
      computePhaseProgress(createPhaseState({ total, completed }), 0).percent;
    expect([null, 0, Number.NaN, 2, 3, 7].map(percent)).toEqual([null, null, null, 100, 100, 42]);
  });

  it('treats a clock that went back as one that stood still', () => {
    expect(computePhaseProgress(phasesInProgress, 0).current?.elapsedMs).toBe(0);
  });
});

describe('computePhaseTotals', () => {
  it('never exceed the largest safe integer', () => {
    const work = { ...emptyPhaseWork, testsPassed: Number.MAX_SAFE_INTEGER };
    expect(
      computePhaseTotals(createPhaseState({ outside: work, completed: [createPastPhase(1, work)] }))
        .testsPassed,
    ).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('formatPhaseLine', () => {
  it('shows everything on one line', () => {
    expect(formatProgressLine(phasesInProgress, 5 * minuteMs)).toBe(
      'phase 3 of 5: Mend the tests (4 min of 15 min; 2 done, 40 %, 1 of them failed)',
    );
    expect(formatProgressLine(phasesInProgress, 121 * minuteMs)).toBe(
      'phase 3 of 5: Mend the tests (2.0 h of 15 min, overdue; 2 done, 40 %, 1 of them failed)',
    );
  });

  it('omits unknown values', () => {
    expect(
      formatProgressLine(
        createPhaseState({ current: { ...currentPhase, expectedMs: null } }),
        minuteMs + 900,
      ),
    ).toBe('phase 3: Mend the tests (900 ms; 0 done)');
    expect(formatProgressLine(createPhaseState({}), 0)).toBe('no phase under way (0 done)');
    expect(formatProgressLine(createPhaseState({ total: 2, completed: [createPastPhase(1)] }), 0)).toBe(
      'no phase under way (1 done, 50 %)',
    );
  });
});

describe('formatPastPhaseLine', () => {
  it('shows how a phase ended and its work', () => {
    expect(formatPastPhaseLine(createPastPhase(1))).toBe('phase 1 done in 1 min');
    const worked = { filesChanged: 3, testsPassed: 12, testsFailed: 1, blockers: ['slow', 'the\nlinter'] };
    expect(formatPastPhaseLine(createPastPhase(2, { success: false, endedAt: 59_999, ...worked }))).toBe(
      'phase 2 failed in 59 s: 3 files changed, 12 tests passed, 1 test failed, blocked by the linter',
    );
  });
});
