import type { AuditSeverity, RuleSeverity, RuleThresholds } from '@pawl/core';
import type { RuleCount } from './rule-counts.ts';
import type { DetectorVerdict } from './detector-score.ts';

/** The thresholds of each rule, by name. A missing rule gives no verdicts. */
export type RuleThresholdMap = ReadonlyMap<string, RuleThresholds>;

/** Computes the verdicts that these thresholds give on rule counts, identical to `audit` with such rules. */
export function judgeRuleCounts(
  counts: readonly RuleCount[],
  thresholds: RuleThresholdMap,
): readonly DetectorVerdict[] {
  const told: DetectorVerdict[] = [];
  let spoken: readonly AdvisedLoop[] = [];
  let gravest: AdvisedLoop | null = null;
  for (const [index, { step, rule, count, loop }] of counts.entries()) {
    const gravity = getSeverity(count, thresholds.get(rule));
    if (gravity > (gravest?.gravity ?? 0) && !isAlreadyAdvised(spoken, { loop, gravity }))
      gravest = { loop, gravity };
    if (gravest === null || counts[index + 1]?.step === step) continue;
    told.push({ step, level: auditLevels[gravest.gravity - 1] ?? 'stop' });
    if (gravest.gravity >= endingSeverity) break;
    spoken = [...spoken.slice(-(maxRememberedLoops - 1)), gravest];
    gravest = null;
  }
  return told;
}

/** How many advised loops the governor remembers. */
const maxRememberedLoops = 32;

/** The severities of a rule, mildest first. */
export const severityLadder: readonly RuleSeverity[] = ['advise', 'refuse', 'ask', 'finish'];
const auditLevels: readonly AuditSeverity[] = ['nudge', 'block', 'ask', 'stop'];
const endingSeverity = 3;

/** Loop numbers are unique across rules, so a number identifies both. */
type AdvisedLoop = { readonly loop: number; readonly gravity: number };

/** Returns 0 for no verdict, otherwise the severity, mildest first. */
function getSeverity(count: number, thresholds: RuleThresholds | undefined): number {
  if (thresholds === undefined) return 0;
  for (let index = severityLadder.length - 1; index >= 0; index -= 1) {
    const level = severityLadder[index];
    if (level !== undefined && count >= (thresholds[level] ?? Infinity)) return index + 1;
  }
  return 0;
}

function isAlreadyAdvised(spoken: readonly AdvisedLoop[], { loop, gravity }: AdvisedLoop): boolean {
  return spoken.some((each) => each.loop === loop && each.gravity >= gravity);
}
