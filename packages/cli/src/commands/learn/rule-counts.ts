import type { Rule, RuleMatch } from '@pawl/governor';
import { auditRun } from '@pawl/governor/audit';
import type { RecordedRun } from '@pawl/governor/traces';

/** The count of a rule after a step of a run, if it is high enough to matter. */
export type RuleCount = {
  readonly step: number;
  readonly rule: string;
  readonly count: number;
  /** The number of the loop within this run; advice is given once per loop. */
  readonly loop: number;
};

/**
 * Collects the counts of all rules in a run, from which the verdicts for any thresholds follow. Omits counts below
 * `minCounts`, the smallest thresholds worth trying, and everything after the step at which the current rules end the run,
 * because no threshold is ever raised beyond that.
 */
export function collectRuleCounts(
  run: RecordedRun,
  rules: readonly Rule[],
  minCounts: ReadonlyMap<string, number>,
): readonly RuleCount[] {
  const counts: RuleCount[] = [];
  const loops = new Map<string, number>();
  const onMatch = ({ id }: Rule, step: number, { count, loop }: RuleMatch): void => {
    if (count < (minCounts.get(id) ?? Infinity)) return;
    const name = JSON.stringify([id, loop]);
    const number = loops.get(name) ?? loops.size;
    loops.set(name, number);
    counts.push({ step, rule: id, count, loop: number });
  };
  auditRun(
    run,
    rules.map((rule) => createCountedRule(rule, onMatch)),
  );
  return counts;
}

/** Wraps a rule so that its matches are reported; it gives no verdict itself before it ends the run. */
function createCountedRule(rule: Rule, onMatch: (rule: Rule, step: number, match: RuleMatch) => void): Rule {
  const { ask = null, stop } = rule.thresholds;
  const match = (window: readonly WindowItem[]): RuleMatch | null => {
    // The window has the type that the rule expects, but the compiler cannot see that through the union.
    const ruleMatch = rule.match(window as readonly never[]);
    const last = window.at(-1);
    if (ruleMatch !== null && last !== undefined)
      onMatch(rule, 'seq' in last ? last.seq : last.last.seq, ruleMatch);
    return ruleMatch;
  };
  return { ...rule, thresholds: { advise: null, block: null, ask, stop }, match };
}

type WindowItem = { readonly seq: number } | { readonly last: { readonly seq: number } };
