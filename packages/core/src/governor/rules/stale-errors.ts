import type { Rule } from '../rule.ts';
import { cameBefore, tailWhile } from './tail.ts';

/** Failing calls whose answers have all been heard before, whatever was asked. */
export const staleErrors: Rule = {
  id: 'stale-errors',
  because:
    'Six answers in a row that each tool had given before, ending in an error: two or three known errors take turns, and ' +
    'the arguments that change between them change nothing.',
  thresholds: { advise: null, refuse: null, finish: 6 },
  look(window) {
    const last = window.at(-1);
    if (last === undefined || last.error === null) return null;
    const evidence = tailWhile(window, (each, index) =>
      cameBefore(window, index, ({ tool, outcome }) => tool === each.tool && outcome === each.outcome),
    );
    return {
      count: evidence.length,
      evidence,
      loop: last.error,
      reason: `the last ${evidence.length} answers had all been given before, and the last one is an error`,
      advice: `The last ${evidence.length} answers were all answers you had been given before, and it ends in an error again. Leave this way and take another.`,
    };
  },
};
