import type { Rule } from './rule.ts';

/** The same search with other words or options and the same result. */
export const sameQuery: Rule = {
  id: 'same-query',
  rationale:
    'If the same words in another order, or with another limit, return the same results, this search does not find ' +
    'the answer. Paging through results returns something else each time and does not count.',
  thresholds: { advise: 3, block: null, stop: null },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.query === null) return null;
    const { tool, query, outcome } = last;
    const evidence = window.filter(
      (each) => each.query === query && each.tool === tool && each.outcome === outcome,
    );
    return {
      count: evidence.length,
      evidence,
      loop: `${tool} ${query}`,
      reason: `${tool} was asked for the same words ${evidence.length} times, with the same result`,
      advice: `You have searched for the same words with ${tool} ${evidence.length} times, and what came back was the same each time. Search for something else, or work with what was found.`,
    };
  },
};
