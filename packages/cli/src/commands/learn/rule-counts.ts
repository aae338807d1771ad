import type { Rule, RuleMatch, RuleThresholds } from '@pawl/governor';
import { auditRun } from '@pawl/governor/audit';
import type { RecordedRun } from '@pawl/governor/traces';
import type { RuleSeverity } from '@pawl/core';
import type { DetectorVerdict } from './detector-score.ts';

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

/** The thresholds of each rule, by name. A missing rule gives no verdicts. */
export type RuleThresholdMap = ReadonlyMap<string, RuleThresholds>;

/** Computes the verdicts that these thresholds give on rule counts, identical to `audit` with such rules. */
export function judgeRuleCounts(
  counts: readonly RuleCount[],
  thresholds: RuleThresholdMap,
): readonly DetectorVerdict[] {
  const verdicts: DetectorVerdict[] = [];
  let advised: readonly AdvisedLoop[] = [];
  let mostSevere: AdvisedLoop | null = null;
  for (const [index, { step, rule, count, loop }] of counts.entries()) {
    const severity = getSeverity(count, thresholds.get(rule));
    if (severity > (mostSevere?.severity ?? 0) && !isAlreadyAdvised(advised, { loop, severity }))
      mostSevere = { loop, severity };
    if (mostSevere === null || counts[index + 1]?.step === step) continue;
    verdicts.push({ step, severity: severityLadder[mostSevere.severity - 1] ?? 'stop' });
    if (mostSevere.severity >= endingSeverity) break;
    advised = [...advised.slice(-(maxRememberedLoops - 1)), mostSevere];
    mostSevere = null;
  }
  return verdicts;
}

/** How many advised loops the governor remembers. */
const maxRememberedLoops = 32;

/** The severities of a rule, mildest first. */
export const severityLadder: readonly RuleSeverity[] = ['advise', 'block', 'ask', 'stop'];
const endingSeverity = 3;

/** Loop numbers are unique across rules, so a number identifies both. */
type AdvisedLoop = { readonly loop: number; readonly severity: number };

/** Returns 0 for no verdict, otherwise the severity, mildest first. */
function getSeverity(count: number, thresholds: RuleThresholds | undefined): number {
  if (thresholds === undefined) return 0;
  for (let index = severityLadder.length - 1; index >= 0; index -= 1) {
    const severity = severityLadder[index];
    if (severity !== undefined && count >= (thresholds[severity] ?? Infinity)) return index + 1;
  }
  return 0;
}

function isAlreadyAdvised(advised: readonly AdvisedLoop[], { loop, severity }: AdvisedLoop): boolean {
  return advised.some((each) => each.loop === loop && each.severity >= severity);
}
