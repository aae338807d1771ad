import type { CallObservation } from '../observations/call-observation.ts';
import type { CallRule } from './rule.ts';
import {
  hasFewerFailures,
  isNewFinding,
  isNewOutcome,
  isSameObservation,
  takeTailWhile,
} from './window-queries.ts';

/** Consecutive identical calls that fail with the same error. */
export const repeatedFailure: CallRule = {
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

/** The same error class in consecutive calls, whatever the tool and arguments. */
export const errorStreak: CallRule = {
  id: 'error-streak',
  rationale:
    'Varying the arguments and getting the same kind of error each time is not a search. A model often finds the ' +
    'right form in the third or fourth attempt, so advice comes before that and the stop after it.',
  thresholds: { advise: 3, block: null, stop: 5 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error === null) return null;
    const evidence = takeTailWhile(
      window,
      (each, index) => each.error === last.error && !hasFewerFailures(window, index + 1),
    );
    return {
      count: evidence.length,
      evidence,
      loop: last.error,
      reason: `the last ${evidence.length} calls met the same kind of error`,
      advice: `The last ${evidence.length} calls all met the same kind of error, although the arguments changed. Do not vary the call again: find out what the error means, or reach the goal another way.`,
    };
  },
};

/** Maximum count if checks found something new: enough for advice. */
const failuresWithFindingsMax = 7;

/** Every call fails, with different errors. */
export const failureStreak: CallRule = {
  id: 'nothing-works',
  rationale:
    "A long series of failures without a success, even of different kinds, means that the agent's assumptions about " +
    'its environment are wrong. A few failures are normal while exploring; eight in a row are not, unless checks keep ' +
    'finding something else.',
  thresholds: { advise: 5, block: null, stop: 8 },
  match(window) {
    const evidence = takeTailWhile(window, (each) => each.error !== null);
    if (evidence.length === 0) return null;
    const start = window.length - evidence.length;
    const hasProgress = evidence.some(
      (_, index) =>
        index > 0 && (isNewFinding(window, start + index) || hasFewerFailures(window, start + index)),
    );
    return {
      count: hasProgress ? Math.min(evidence.length, failuresWithFindingsMax) : evidence.length,
      evidence,
      loop: 'nothing-works',
      reason: `the last ${evidence.length} calls all failed`,
      advice: `Your last ${evidence.length} calls have all failed, in one way or another. Stop and take one small step that you are sure of, such as listing what is there, before you go on.`,
    };
  },
};

/** How many consecutive successes may separate two errors of one class before they count as unrelated. */
const successGapMax = 2;

/** Maximum count if the calls in between brought something new: enough for advice. */
const errorsWithProgressMax = 5;

/** One error class that recurs, with other calls in between. */
export const interleavedErrors: CallRule = {
  id: 'interleaved-errors',
  rationale:
    'A model that looks something up between two attempts and then gets the same kind of error has not learned from ' +
    'it, for example when it rereads a file and edits it wrongly again. Runs that succeed do this too, so the rule ' +
    'only advises, unless nothing new came of the calls in between either.',
  thresholds: { advise: 3, block: null, stop: 6 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error === null) return null;
    const evidence = findInterleavedErrors(window, last.error);
    const first = evidence[0];
    const start = first === undefined ? window.length : window.indexOf(first);
    const hasProgress = window.some((_, index) => index > start && isNewOutcome(window, index));
    return {
      count: hasProgress ? Math.min(evidence.length, errorsWithProgressMax) : evidence.length,
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
  for (const [index, each] of [...window.entries()].toReversed()) {
    if (each.error === error) {
      found.push(each);
      gap = 0;
      // What came before led to fewer failures.
      if (hasFewerFailures(window, index)) break;
    } else if (each.error !== null || ++gap > successGapMax) break;
  }
  return found.toReversed();
}
