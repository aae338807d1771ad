import type { ObservationRule } from './rule.ts';
import { computeSimilarity } from '../observations/text-observation.ts';
import { takeTailWhile } from './window-queries.ts';

/** Minimum similarity for one text to count as a variation of another. */
const similarityMin = 0.8;

/** Nearly the same text again, without a call. */
export const similarText: ObservationRule<'text'> = {
  id: 'similar-text',
  rationale:
    'A reply that shares four fifths of its wording with each of the replies before it is a variation of them. ' +
    'Rewording may still lead somewhere, so it takes more of them than of identical replies.',
  on: 'text',
  unit: 'replies',
  thresholds: { advise: 3, block: null, ask: 5, stop: null },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = takeTailWhile(window, (each) => computeSimilarity(each, last) >= similarityMin);
    return {
      count: evidence.length,
      evidence,
      loop: 'similar-text',
      reason: `nearly the same was said ${evidence.length} times in a row, and nothing was done`,
      advice: `Your last ${evidence.length} replies say nearly the same, and nothing was done. Do the next step with a tool, or say that you are done or what stops you.`,
    };
  },
};
