import type { Rule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** Every call fails, with different errors. */
export const failureStreak: Rule = {
  id: 'nothing-works',
  rationale:
    "A long series of failures without a success, even of different kinds, means that the agent's assumptions about " +
    'its environment are wrong. A few failures are normal while exploring; eight in a row are not.',
  thresholds: { advise: 5, block: null, stop: 8 },
  match(window) {
    const evidence = takeTailWhile(window, (each) => each.error !== null);
    return {
      count: evidence.length,
      evidence,
      loop: 'nothing-works',
      reason: `the last ${evidence.length} calls all failed`,
      advice: `Your last ${evidence.length} calls have all failed, in one way or another. Stop and take one small step that you are sure of, such as listing what is there, before you go on.`,
    };
  },
};
