import type { Observation } from '../observation.ts';
import type { Rule } from '../rule.ts';
import { cameBefore, isSame, tailWhile } from './tail.ts';

/** How often some call must have come up before going over known ground counts as going round. */
const lapsMin = 3;

/** A second lap, however long, counts for no more than this: enough for advice. */
const secondLapMax = 4;

/**
 * Nothing but calls that were made before, with the outcomes they had before: a cycle of any length that fits into the
 * window, in order or not. Reading the same files a second time is not enough; the third lap is.
 */
export const roundAndRound: Rule = {
  id: 'round-and-round',
  because:
    'When call after call, and answer after answer, has been seen before, the agent goes over known ground. A second ' +
    'look has its uses, so one of the calls must have come up three times.',
  thresholds: { advise: 3, refuse: null, finish: 5 },
  look(window) {
    const evidence = tailWhile(window, (each, index) =>
      cameBefore(window, index, (earlier) => isSame(earlier, each)),
    );
    if (evidence.length === 0) return null;
    const isThirdLap = evidence.some((each) => timesSeen(window, each) >= lapsMin);
    return {
      count: isThirdLap ? evidence.length : Math.min(evidence.length, secondLapMax),
      evidence,
      loop: evidence.map((each) => each.call).toSorted()[0] ?? '',
      reason: `the last ${evidence.length} calls had all been made before, with the same results`,
      advice: `Your last ${evidence.length} calls were all calls you had made before, and the results were the same. You are going over known ground: write down what you know from it, and do something you have not done yet.`,
    };
  },
};

function timesSeen(window: readonly Observation[], each: Observation): number {
  return window.filter((other) => isSame(other, each)).length;
}
