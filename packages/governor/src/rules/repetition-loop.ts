import type { ObservationRule } from './rule.ts';

/** A reply that repeats one block of text. */
export const repetitionLoop: ObservationRule<'chant'> = {
  id: 'chanting',
  rationale:
    'A model that has begun to repeat one piece of text does not stop by itself, and no more of it will say more. The reply ' +
    'is cut off and asked for again; a third one in a row ends the work.',
  on: 'chant',
  unit: 'replies',
  thresholds: { advise: 1, refuse: null, finish: 3 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    return {
      count: window.length,
      evidence: window,
      loop: 'chanting',
      reason: `the reply says the same piece of text ${last.times} times in a row`,
      advice: `Your last reply was cut off: it said one and the same thing ${last.times} times in a row (“${last.block}”). Answer anew, briefly, and say each thing once.`,
    };
  },
};
