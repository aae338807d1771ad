import { describe, expect, it } from 'vitest';
import type { Phases } from '../../src/index.ts';
import { pastPhaseLine, phaseLine } from '../../src/phases/lines.ts';
import type { PastPhase } from '../../src/phases/phase.ts';
import { phaseProgress, phaseTotals } from '../../src/phases/progress.ts';
import { noWork } from '../../src/phases/work.ts';

const minute = 60_000;

function past(number: number, change: Partial<PastPhase> = {}): PastPhase {
  return {
    number,
    description: `part ${number}`,
    startedAt: 0,
    expectedMs: null,
    endedAt: minute,
    success: true,
    summary: null,
    ...noWork,
    ...change,
  };
}

function phasesOf(change: Partial<Phases>): Phases {
  return { total: null, current: null, completed: [], outside: noWork, ...change };
}

const line = (phases: Phases, at: number) => phaseLine(phaseProgress(phases, at));

const current = {
  number: 3,
  description: 'Mend\n the tests ',
  startedAt: minute,
  expectedMs: 15 * minute,
  ...noWork,
};
const underWay = phasesOf({ total: 5, current, completed: [past(1), past(2, { success: false })] });

describe('phaseProgress', () => {
  it('tells what is under way, what is done, of how many, and whether it takes too long [NEX-69]', () => {
    expect(phaseProgress(underWay, 5 * minute)).toEqual({
      current: {
        number: 3,
        description: 'Mend\n the tests ',
        elapsedMs: 4 * minute,
        expectedMs: 15 * minute,
      },
      done: 2,
      failed: 1,
      total: 5,
      percent: 40,
      overdue: false,
    });
  });

  it.each([
    [16 * minute, false],
    [16 * minute + 1, true],
  ])('at %i ms finds a phase of 15 minutes that began at one overdue: %s', (at, overdue) => {
    expect(phaseProgress(underWay, at).overdue).toBe(overdue);
  });

  it('never finds a phase overdue of which nobody said how long it may take', () => {
    const phases = phasesOf({ current: { ...current, expectedMs: null } });
    expect(phaseProgress(phases, Number.MAX_SAFE_INTEGER).overdue).toBe(false);
  });

  it('has no percentage without a number of phases, and never more than a hundred', () => {
    const completed = [1, 2, 3].map((number) => past(number));
    const percent = (total: number | null) => phaseProgress(phasesOf({ total, completed }), 0).percent;
    expect([null, 0, Number.NaN, 2, 3, 7].map(percent)).toEqual([null, null, null, 100, 100, 42]);
  });

  it('takes a clock that went back for one that stood still', () => {
    expect(phaseProgress(underWay, 0).current?.elapsedMs).toBe(0);
  });
});

describe('phaseTotals', () => {
  it('never grow beyond what a number can hold', () => {
    const work = { ...noWork, testsPassed: Number.MAX_SAFE_INTEGER };
    expect(phaseTotals(phasesOf({ outside: work, completed: [past(1, work)] })).testsPassed).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });
});

describe('phaseLine', () => {
  it('says all of it on one line', () => {
    expect(line(underWay, 5 * minute)).toBe(
      'phase 3 of 5: Mend the tests (4 min of 15 min; 2 done, 40 %, 1 of them failed)',
    );
    expect(line(underWay, 121 * minute)).toBe(
      'phase 3 of 5: Mend the tests (2.0 h of 15 min, overdue; 2 done, 40 %, 1 of them failed)',
    );
  });

  it('leaves out what is not known', () => {
    expect(line(phasesOf({ current: { ...current, expectedMs: null } }), minute + 900)).toBe(
      'phase 3: Mend the tests (900 ms; 0 done)',
    );
    expect(line(phasesOf({}), 0)).toBe('no phase under way (0 done)');
    expect(line(phasesOf({ total: 2, completed: [past(1)] }), 0)).toBe('no phase under way (1 done, 50 %)');
  });
});

describe('pastPhaseLine', () => {
  it('says how a phase ended and what was done in it', () => {
    expect(pastPhaseLine(past(1))).toBe('phase 1 done in 1 min');
    const worked = { filesChanged: 3, testsPassed: 12, testsFailed: 1, blockers: ['slow', 'the\nlinter'] };
    expect(pastPhaseLine(past(2, { success: false, endedAt: 59_999, ...worked }))).toBe(
      'phase 2 failed in 59 s: 3 files changed, 12 tests passed, 1 test failed, blocked by the linter',
    );
  });
});
