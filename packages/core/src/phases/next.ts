import type { Phases } from './phase.ts';

/**
 * How many phases there may be where nobody has said how many. Each one starts the governor afresh, so a model that
 * starts phase after phase must come to an end.
 */
export const phasesMax = 100;

/** The number after the highest there was, whether under way or on record. */
export function nextPhase({ current, completed }: Phases): number {
  return completed.reduce((highest, { number }) => Math.max(highest, number), current?.number ?? 0) + 1;
}

/** Why a phase cannot be started now, or null: phases go forward, and within the number of phases there are. */
export function phaseProblem(phases: Phases, number: number): string | null {
  const { total, current } = phases;
  const max = total ?? phasesMax;
  const next = nextPhase(phases);
  const ways = next > max ? 'There is no phase left.' : `The next one is ${next}.`;
  if (!Number.isInteger(number) || number < 1 || number > max) {
    return `A phase has a whole number from 1 to ${max}, and this one has ${number}. ${ways}`;
  }
  if (number >= next || number === current?.number) return null;
  return `Phase ${number} is over, and phases only go forward. ${ways}`;
}
