import type { Rule } from './rule.ts';
import { isSameObservation } from './window-queries.ts';

/** One call that recurs with the same outcome, among other calls. */
export const recurringCall: Rule = {
  id: 'again-and-again',
  rationale:
    'A call that returns the same result five times, with other calls in between, is one that the agent does not ' +
    'remember. Running the same test after each change looks alike, so the rule only advises.',
  thresholds: { advise: 5, block: null, stop: null },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = window.filter((each) => isSameObservation(each, last));
    return {
      count: evidence.length,
      evidence,
      loop: last.call,
      reason: `${last.tool} was called ${evidence.length} times with the same arguments and the same result, among other calls`,
      advice: `You have called ${last.tool} with these very arguments ${evidence.length} times by now, and the result was always the same. Keep it in mind instead of asking again.`,
    };
  },
};
