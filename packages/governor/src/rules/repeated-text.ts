import type { ObservationRule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** The same text again, without a call. */
export const repeatedText: ObservationRule<'text'> = {
  id: 'repeated-text',
  rationale:
    'Repeating the same text without a tool call and without new input makes no progress. Differences in numbers, ' +
    'case and spacing do not count.',
  on: 'text',
  unit: 'replies',
  thresholds: { advise: 2, block: null, stop: 3 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = takeTailWhile(window, (each) => each.fingerprint === last.fingerprint);
    return {
      count: evidence.length,
      evidence,
      loop: last.fingerprint,
      reason: `the same was said ${evidence.length} times in a row, and nothing was done`,
      advice: `You have said the same ${evidence.length} times in a row without doing anything. Do the next step with a tool, or say that you are done or what stops you.`,
    };
  },
};
