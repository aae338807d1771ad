import type { CallObservation } from '../observations/call-observation.ts';
import type { Rule } from './rule.ts';

/** How many consecutive successes may separate two errors of one class before they count as unrelated. */
const successGapMax = 2;

/** One error class that recurs, with other calls in between. */
export const interleavedErrors: Rule = {
  id: 'interleaved-errors',
  rationale:
    'A model that looks something up between two attempts and then gets the same kind of error has not learned from ' +
    'it, for example when it rereads a file and edits it wrongly again. Runs that succeed do this too, so the rule ' +
    'only advises.',
  thresholds: { advise: 3, block: null, stop: null },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error === null) return null;
    const evidence = findInterleavedErrors(window, last.error);
    return {
      count: evidence.length,
      evidence,
      loop: last.error,
      reason: `the same kind of error came ${evidence.length} times, with other calls in between`,
      advice: `You have met the same kind of error ${evidence.length} times, looking at other things in between. What you looked up has not helped: say what you now believe is wrong, and check that first.`,
    };
  },
};

function findInterleavedErrors(
  window: readonly CallObservation[],
  error: string,
): readonly CallObservation[] {
  const found: CallObservation[] = [];
  let gap = 0;
  for (const each of window.toReversed()) {
    if (each.error === error) {
      found.push(each);
      gap = 0;
    } else if (each.error !== null || ++gap > successGapMax) break;
  }
  return found.toReversed();
}
