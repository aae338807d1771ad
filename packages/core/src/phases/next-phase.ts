import type { PhaseState } from './phase.ts';

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
