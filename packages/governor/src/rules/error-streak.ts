import type { Rule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** The same error class in consecutive calls, whatever the tool and arguments. */
export const errorStreak: Rule = {
  id: 'error-streak',
  rationale:
    'Varying the arguments and getting the same kind of error each time is not a search. A model often finds the ' +
    'right form after a few attempts, so advice comes early and the stop comes late.',
  thresholds: { advise: 3, block: null, stop: 7 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error === null) return null;
    const evidence = takeTailWhile(window, (each) => each.error === last.error);
    return {
      count: evidence.length,
      evidence,
      loop: last.error,
      reason: `the last ${evidence.length} calls met the same kind of error`,
      advice: `The last ${evidence.length} calls all met the same kind of error, although the arguments changed. Do not vary the call again: find out what the error means, or reach the goal another way.`,
    };
  },
};
