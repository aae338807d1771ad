import type { Rule } from './rule.ts';
import { isSameObservation, takeTailWhile } from './window-queries.ts';

/** Consecutive identical calls that fail with the same error. */
export const repeatedFailure: Rule = {
  id: 'repeated-failure',
  rationale:
    'A failed call that is repeated word for word, with nothing changed in between, fails again. One repetition is ' +
    'enough for advice.',
  thresholds: { advise: 2, block: 3, stop: 4 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error === null) return null;
    const evidence = takeTailWhile(window, (each) => isSameObservation(each, last));
    return {
      count: evidence.length,
      evidence,
      loop: last.call,
      reason: `${last.tool} failed ${evidence.length} times in a row with the same arguments and the same error`,
      advice: `${last.tool} has failed ${evidence.length} times in a row with exactly these arguments and the same error. Repeating it will fail again: read the error, then change the arguments or take another way.`,
    };
  },
};
