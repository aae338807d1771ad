import type { Rule } from './rule.ts';
import { isNewOutcome, takeTailWhile } from './window-queries.ts';

/** A long run of calls without a new outcome. */
export const noProgress: Rule = {
  id: 'no-progress',
  rationale:
    'Twelve calls without a success that adds information are many. The problem may simply be hard, so the rule only ' +
    'advises.',
  thresholds: { advise: 12, block: null, stop: null },
  match(window) {
    const evidence = takeTailWhile(window, (_, index) => !isNewOutcome(window, index));
    return {
      count: evidence.length,
      evidence,
      loop: 'no-progress',
      reason: `the last ${evidence.length} calls brought nothing new`,
      advice: `Nothing new has come of your last ${evidence.length} calls. Say in one sentence what you know and what is missing, and take the step that would tell you most.`,
    };
  },
};
