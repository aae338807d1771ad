import { callCycle, fruitlessSearch, recurringCall, sameAnswer } from './call-rules.ts';
import { errorStreak, failureStreak, interleavedErrors, repeatedFailure } from './error-rules.ts';
import type { CallRule } from './rule.ts';

/** Minimum length of a cycle: a second look at two or three things is common. */
const cycleMin = 4;

/** Rules that find something else in calls that had all been made before. */
const otherRules = [
  repeatedFailure,
  errorStreak,
  failureStreak,
  fruitlessSearch,
  interleavedErrors,
  recurringCall,
  sameAnswer,
];

/** Several rules match at once, each too weakly to end the work. */
export const combinedMatches: CallRule = {
  id: 'combined-matches',
  rationale:
    'A run of calls that had all been made before may be a review, and a run of errors may be a search for the right ' +
    'form. Both at once are neither: the agent repeats itself, and it fails or learns nothing by it.',
  unit: 'matching rules',
  thresholds: { advise: null, block: null, stop: 2 },
  match(window) {
    const cycle = callCycle.match(window);
    if (cycle === null || cycle.evidence.length < cycleMin) return null;
    const others = otherRules.flatMap(({ match, thresholds }) => {
      const found = match(window);
      return found !== null && found.count >= (thresholds.advise ?? Infinity) ? [found] : [];
    });
    const [other] = others;
    if (other === undefined) return null;
    return {
      count: 1 + others.length,
      evidence: cycle.evidence,
      loop: cycle.loop,
      reason: `${cycle.reason}, and ${other.reason}`,
      advice: cycle.advice,
    };
  },
};
