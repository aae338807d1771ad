import type { RuleSeverity } from '@pawl/core';
import type { RuleThresholds } from '@pawl/governor';
import type { RuleCount } from './rule-counts.ts';
import type { DetectorVerdict } from './detector-score.ts';

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
