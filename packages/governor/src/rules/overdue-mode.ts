import type { ObservationRule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** A mode that lasts longer than its chart allows. */
export const overdueMode: ObservationRule<'mode'> = {
  id: 'overdue-mode',
  rationale:
    'The mode chart limits the steps, the time and the failures of each mode. Advice is given at the limit; three ' +
    'replies later the agent is not going to leave the mode by itself.',
  on: 'mode',
  unit: 'replies beyond the limit',
  thresholds: { advise: 1, block: null, stop: 3 },
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
