import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PhaseState } from '../../src/phases-entry.ts';
import { getNextPhaseNumber, findPhaseProblem, defaultPhasesMax } from '../../src/phases/progress.ts';
import { phaseCompleted, phaseStarted } from '../helpers/event-builders.ts';
import { createProfileSession, runEvents } from '../helpers/run-events.ts';

function startPhases(...numbers: readonly number[]): PhaseState {
  return runEvents(createProfileSession('pawl'), ...numbers.map((number) => phaseStarted(number))).session
    .phases;
}

describe('the next phase', () => {
  it('has the number after the highest so far', () => {
    expect(getNextPhaseNumber(startPhases())).toBe(1);
    expect(getNextPhaseNumber(startPhases(1))).toBe(2);
    expect(getNextPhaseNumber(startPhases(1, 5, 2))).toBe(6);
    expect(
      getNextPhaseNumber(
        runEvents(createProfileSession('pawl'), phaseStarted(3), phaseCompleted()).session.phases,
      ),
    ).toBe(4);
  });

  it('can always be started, as long as one is left', () => {
    const numbers = fc.array(fc.integer({ min: 1, max: defaultPhasesMax - 1 }), { maxLength: 10 });
    fc.assert(
      fc.property(numbers, (some) => {
        const phases = startPhases(...some);
        expect(findPhaseProblem(phases, getNextPhaseNumber(phases))).toBeNull();
      }),
    );
  });
});

describe('a phase', () => {
  it('that is current or later is valid', () => {
    for (const number of [2, 3, 7, defaultPhasesMax])
      expect(findPhaseProblem(startPhases(1, 2), number)).toBeNull();
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, 1e9])('cannot have the number %d', (number) => {
    expect(findPhaseProblem(startPhases(1), number)).toBe(
      `A phase has a whole number from 1 to 100, and this one has ${number}. The next one is 2.`,
    );
  });

  it('cannot be beyond the last', () => {
    const phases = { ...startPhases(1, 2, 3), total: 3 };
    expect(findPhaseProblem(phases, 4)).toBe(
      'A phase has a whole number from 1 to 3, and this one has 4. There is no phase left.',
    );
  });

  it('cannot be started again once it is over', () => {
    const over = 'Phase 1 is over, and phases only go forward. The next one is 4.';
    expect(findPhaseProblem(startPhases(1, 3), 1)).toBe(over);
    expect(findPhaseProblem(startPhases(3), 1)).toBe(over);
  });
});
