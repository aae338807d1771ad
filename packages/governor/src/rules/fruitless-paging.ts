import type { ObservationRule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** Paging that frees too little. */
export const fruitlessPaging: ObservationRule<'paging'> = {
  id: 'fruitless-paging',
  rationale:
    'Making room that frees less than a tenth, or after which there is still no room, has nothing left to put away. A second ' +
    'time shows it, and the model could not be asked anyway.',
  on: 'paging',
  unit: 'times',
  thresholds: { advise: null, refuse: null, finish: 2 },
  match(window) {
    const evidence = takeTailWhile(window, (each) => each.fruitless);
    return {
      count: evidence.length,
      evidence,
      loop: 'fruitless-paging',
      reason: `room was made ${evidence.length} times in a row and hardly any was gained`,
      advice: 'There is no room left. Ask for less at once, or unpin what is not needed.',
    };
  },
};
