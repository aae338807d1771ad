import type { CallObservation } from '../observations/call-observation.ts';
import type { Rule } from './rule.ts';
import { hasEarlierMatch, isSameObservation, takeTailWhile } from './window-queries.ts';

/** How often some call must have occurred before repeated ground counts as a cycle. */
const lapsMin = 3;

/** Maximum count of a second lap, however long: enough for advice. */
const secondLapMax = 4;

/**
 * Only calls that were made before with the same outcomes: a cycle of any length that fits into the window, in any
 * order. A second lap, such as rereading files, is not enough; a third is.
 */
export const callCycle: Rule = {
  id: 'round-and-round',
  rationale:
    'If the latest calls and their results have all occurred before, the agent repeats a cycle. Checking something a ' +
    'second time can be useful, so one of the calls must have occurred three times.',
  thresholds: { advise: 3, block: null, stop: 5 },
  match(window) {
    const evidence = takeTailWhile(window, (each, index) =>
      hasEarlierMatch(window, index, (earlier) => isSameObservation(earlier, each)),
    );
    if (evidence.length === 0) return null;
    const isThirdLap = evidence.some((each) => countOccurrences(window, each) >= lapsMin);
    return {
      count: isThirdLap ? evidence.length : Math.min(evidence.length, secondLapMax),
      evidence,
      loop: evidence.map((each) => each.call).toSorted()[0] ?? '',
      reason: `the last ${evidence.length} calls had all been made before, with the same results`,
      advice: `Your last ${evidence.length} calls were all calls you had made before, and the results were the same. You are going over known ground: write down what you know from it, and do something you have not done yet.`,
    };
  },
};

function countOccurrences(window: readonly CallObservation[], each: CallObservation): number {
  return window.filter((other) => isSameObservation(other, each)).length;
}
