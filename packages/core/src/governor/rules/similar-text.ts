import type { RuleOn } from '../rule.ts';
import { likeness } from '../talk.ts';
import { tailWhile } from './tail.ts';

/** How much of two texts must be the same for one to be a variation of the other. */
const alike = 0.8;

/** Nearly the same words again, and no call. */
export const similarText: RuleOn<'talk'> = {
  id: 'similar-text',
  because:
    'A reply that shares four fifths of its wording with each of the replies before it is a variation of them. One that is ' +
    'reworded may still be heading somewhere, so it takes more of them than of equal ones.',
  on: 'talk',
  unit: 'replies',
  thresholds: { advise: 3, refuse: null, ask: 5, finish: null },
  look(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = tailWhile(window, (each) => likeness(each, last) >= alike);
    return {
      count: evidence.length,
      evidence,
      loop: 'similar-text',
      reason: `nearly the same was said ${evidence.length} times in a row, and nothing was done`,
      advice: `Your last ${evidence.length} replies say nearly the same, and nothing was done. Do the next step with a tool, or say that you are done or what stops you.`,
    };
  },
};
