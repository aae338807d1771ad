import type { ObservationRule } from './rule.ts';

/** Consecutive replies that cannot be parsed. */
export const failedDecisions: ObservationRule<'decision'> = {
  id: 'failed-decisions',
  rationale:
    'A call that cannot be parsed does not advance the work, and each one is answered with what is wrong. A model ' +
    'that produces no valid call in six replies is unlikely to produce one in the seventh.',
  on: 'decision',
  unit: 'replies',
  thresholds: { advise: 3, block: null, stop: 6 },
  match(window) {
    const evidence = window.filter(
      (each, index) => window.findIndex(({ request }) => request === each.request) === index,
    );
    return {
      count: evidence.length,
      evidence,
      loop: 'failed-decisions',
      reason: `${evidence.length} replies in a row asked for something that could not be understood`,
      advice: `Your last ${evidence.length} replies could not be understood. Look at the names of the tools and at what each of them takes, and make one call that is right.`,
    };
  },
};
