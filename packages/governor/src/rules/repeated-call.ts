import type { Rule } from './rule.ts';
import { isSameObservation, takeTailWhile } from './window-queries.ts';

/** Consecutive identical calls with the same outcome. */
export const repeatedCall: Rule = {
  id: 'repeated-call',
  rationale:
    'A call that is repeated word for word with the same result provides no new information. One repetition may be an ' +
    'accident; by the third nothing has happened that could change the result.',
  thresholds: { advise: 3, block: null, stop: 4 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error !== null) return null;
    const evidence = takeTailWhile(window, (each) => isSameObservation(each, last));
    return {
      count: evidence.length,
      evidence,
      loop: last.call,
      reason: `${last.tool} was called ${evidence.length} times in a row with the same arguments and the same result`,
      advice: `You have called ${last.tool} ${evidence.length} times in a row with the same arguments, and the result was the same each time. It will not change by asking again: use what you have, or do something else.`,
    };
  },
};
