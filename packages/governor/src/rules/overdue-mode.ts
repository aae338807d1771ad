import type { ObservationRule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** A mode that lasts longer than its chart allows. */
export const overdueMode: ObservationRule<'mode'> = {
  id: 'overdue-mode',
  rationale:
    'Whoever drew the chart has said how many steps, how long and how many failures a mode can do with. A word comes at the ' +
    'limit; three replies later nothing will come of staying.',
  on: 'mode',
  unit: 'replies beyond the limit',
  thresholds: { advise: 1, refuse: null, finish: 3 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = takeTailWhile(window, (each) => each.state === last.state && each.since === last.since);
    return {
      count: evidence.length,
      evidence,
      loop: `${last.state} ${last.since}`,
      reason: last.reason,
      advice: `You have been in this phase for too long: ${last.reason}. Go on to the next one, or finish with what you have.`,
    };
  },
};
