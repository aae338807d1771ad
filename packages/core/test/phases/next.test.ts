import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Phases } from '../../src/index.ts';
import { nextPhase, phaseProblem, phasesMax } from '../../src/phases/next.ts';
import { endsPhase, startsPhase } from '../helpers/happenings.ts';
import { sessionOf, tell } from '../helpers/tell.ts';

function phasesAfter(...numbers: readonly number[]): Phases {
  return tell(sessionOf('pawl'), ...numbers.map((number) => startsPhase(number))).session.phases;
}

describe('the next phase', () => {
  it('has the number after the highest there was', () => {
    expect(nextPhase(phasesAfter())).toBe(1);
    expect(nextPhase(phasesAfter(1))).toBe(2);
    expect(nextPhase(phasesAfter(1, 5, 2))).toBe(6);
    expect(nextPhase(tell(sessionOf('pawl'), startsPhase(3), endsPhase()).session.phases)).toBe(4);
  });

  it('can always be started, as long as there is one left', () => {
    const numbers = fc.array(fc.integer({ min: 1, max: phasesMax - 1 }), { maxLength: 10 });
    fc.assert(
      fc.property(numbers, (some) => {
        const phases = phasesAfter(...some);
        expect(phaseProblem(phases, nextPhase(phases))).toBeNull();
      }),
    );
  });
});

describe('a phase', () => {
  it('that is under way or ahead is no problem', () => {
    for (const number of [2, 3, 7, phasesMax]) expect(phaseProblem(phasesAfter(1, 2), number)).toBeNull();
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, 1e9])('cannot have the number %d', (number) => {
    expect(phaseProblem(phasesAfter(1), number)).toBe(
      `A phase has a whole number from 1 to 100, and this one has ${number}. The next one is 2.`,
    );
  });

  it('cannot be beyond the last', () => {
    const phases = { ...phasesAfter(1, 2, 3), total: 3 };
    expect(phaseProblem(phases, 4)).toBe(
      'A phase has a whole number from 1 to 3, and this one has 4. There is no phase left.',
    );
  });

  it('cannot be gone back to', () => {
    const over = 'Phase 1 is over, and phases only go forward. The next one is 4.';
    expect(phaseProblem(phasesAfter(1, 3), 1)).toBe(over);
    expect(phaseProblem(phasesAfter(3), 1)).toBe(over);
  });
});
