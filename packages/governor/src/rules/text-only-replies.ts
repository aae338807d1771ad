import type { ObservationRule } from './rule.ts';

/** Consecutive replies without a call. */
export const textOnlyReplies: ObservationRule<'text'> = {
  id: 'monologue',
  rationale:
    'Reply after reply without a tool call does no work. Different replies may still lead somewhere, so the rule only ' +
    'advises.',
  on: 'text',
  unit: 'replies',
  thresholds: { advise: 5, block: null, stop: null },
  match(window) {
    return {
      count: window.length,
      evidence: window,
      loop: 'monologue',
      reason: `${window.length} replies in a row did nothing`,
      advice: `Your last ${window.length} replies did nothing but talk. Do the next step with a tool, or say that you are done or what stops you.`,
    };
  },
};
