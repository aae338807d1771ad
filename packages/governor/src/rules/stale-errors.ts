import type { Rule } from './rule.ts';
import { hasEarlierMatch, takeTailWhile } from './window-queries.ts';

/** Failing calls whose results were all seen before, whatever the arguments. */
export const staleErrors: Rule = {
  id: 'stale-errors',
  rationale:
    'Six results in a row that each tool has returned before, ending in an error, mean that two or three known errors ' +
    'alternate and that varying the arguments has no effect.',
  thresholds: { advise: null, block: null, stop: 6 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error === null) return null;
    const evidence = takeTailWhile(window, (each, index) =>
      hasEarlierMatch(window, index, ({ tool, outcome }) => tool === each.tool && outcome === each.outcome),
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
