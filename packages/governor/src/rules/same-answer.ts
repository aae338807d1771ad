import type { Rule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** Different calls of one tool that all return the same answer. */
export const sameAnswer: Rule = {
  id: 'same-answer',
  rationale:
    'If a tool answers different calls with the same text, the calls miss their target. Tools that only report that ' +
    'they are done are common, so the rule only advises.',
  thresholds: { advise: 6, block: null, stop: null },
  match(window) {
    const last = window.at(-1);
    // Tools that change something often return only a confirmation, so identical answers mean nothing.
    if (last === undefined || last.isOutputEmpty || last.change !== null) return null;
    const evidence = takeTailWhile(
      window,
      (each) => each.tool === last.tool && each.outcome === last.outcome,
    );
    return {
      count: evidence.length,
      evidence,
      loop: `${last.tool} ${last.outcome}`,
      reason: `${last.tool} gave the same answer ${evidence.length} times in a row`,
      advice: `${last.tool} has given you the same answer ${evidence.length} times in a row, whatever you asked it. Another variation will not change that: use the answer, or use something else.`,
    };
  },
};
