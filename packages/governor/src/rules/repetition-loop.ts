import type { ObservationRule } from './rule.ts';

/** A reply that repeats one block of text. */
export const repetitionLoop: ObservationRule<'repetition-loop'> = {
  id: 'repetition-loop',
  rationale:
    'A model that repeats one block of text does not stop by itself, and more of it adds nothing. The reply is cut ' +
    'off and requested again; the third such reply in a row stops the work.',
  on: 'repetition-loop',
  unit: 'replies',
  thresholds: { advise: 1, block: null, stop: 3 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    return {
      count: window.length,
      evidence: window,
      loop: 'repetition-loop',
      reason: `the reply says the same piece of text ${last.times} times in a row`,
      advice: `Your last reply was cut off: it said one and the same thing ${last.times} times in a row (“${last.block}”). Answer anew, briefly, and say each thing once.`,
    };
  },
};
