import type { Rule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** Every call fails, with different errors. */
export const failureStreak: Rule = {
  id: 'nothing-works',
  rationale:
    'A long unbroken row of failures, even different ones, means that what the agent believes about its surroundings is ' +
    'wrong. A handful is normal while feeling the way; eight without one success is not.',
  thresholds: { advise: 5, refuse: null, finish: 8 },
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
