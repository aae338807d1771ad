import type { ObservationRule } from './rule.ts';

/** Consecutive replies without a call. */
export const textOnlyReplies: ObservationRule<'talk'> = {
  id: 'monologue',
  rationale:
    'Talking to nobody, reply after reply, is thinking aloud at best. Different thoughts may lead somewhere, so this only ' +
    'earns advice.',
  on: 'talk',
  unit: 'replies',
  thresholds: { advise: 5, refuse: null, finish: null },
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
