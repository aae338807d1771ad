import type { ObservationRule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** Paging that frees too little. */
export const fruitlessPaging: ObservationRule<'paging'> = {
  id: 'fruitless-paging',
  rationale:
    'Paging that frees less than a tenth, or too little for the next model call, has nothing left to move. A second ' +
    'fruitless attempt confirms it, and the model could not be called anyway.',
  on: 'paging',
  unit: 'times',
  thresholds: { advise: null, block: null, stop: 2 },
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
