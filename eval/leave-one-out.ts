import type { Rule, RuleThresholds } from '@pawl/governor';
import { auditRun } from '@pawl/governor/audit';
import { pawlRules } from '@pawl/governor/rules';
import { filterRuns, getRunSource, listRunSources, type EvaluationData } from './runs.ts';
import { scoreDetector, type StuckDetector, type DetectorScore } from './score.ts';

/** Candidate thresholds for the rules that can end a run. */
const thresholdGrid: Record<string, readonly number[]> = {
  'repeated-failure': [3, 4, 5],
  'repeated-call': [3, 4, 5],
  'error-streak': [4, 5, 6, 7, 8],
  'round-and-round': [4, 5, 6, 8],
  'stale-errors': [5, 6, 8],
  'nothing-works': [6, 8, 10],
};

function createRuleDetector(name: string, rules: readonly Rule[]): StuckDetector {
  return { name, verdicts: (run) => auditRun(run, rules) };
}

/**
 * Leave-one-out cross-validation over sources: fits the thresholds on all other sources and scores on the held-out one,
 * which shows how a rule performs on runs it was not fitted to. Fitting chooses, rule by rule, the threshold that saves
 * most without ending a solved run.
 */
export function scoreHeldOutSources(data: EvaluationData): readonly {
  readonly source: string;
  readonly fitted: DetectorScore;
  readonly shipped: DetectorScore;
  readonly ends: string;
}[] {
  return listRunSources(data).map((source) => {
    const held = filterRuns(data, (run) => getRunSource(run) === source);
    const rules = fitThresholds(filterRuns(data, (run) => getRunSource(run) !== source));
    return {
      source,
      fitted: scoreDetector(held, createRuleDetector('fitted', rules)),
      shipped: scoreDetector(held, createRuleDetector('shipped', pawlRules)),
      ends: rules.flatMap(({ thresholds }) => (thresholds.stop === null ? [] : [thresholds.stop])).join(' '),
    };
  });
}

function fitThresholds(data: EvaluationData): readonly Rule[] {
  let rules: readonly Rule[] = pawlRules;
  for (const [id, values] of Object.entries(thresholdGrid)) {
    const tries = values.map((finish) => {
      const changed = rules.map((rule) => (rule.id === id ? replaceStopThreshold(rule, finish) : rule));
      return { changed, result: scoreDetector(data, createRuleDetector('try', changed)) };
    });
    const harmless = tries.filter(({ result }) => (result.harm ?? 0) === 0);
    const best = harmless.toSorted((a, b) => (b.result.saved ?? 0) - (a.result.saved ?? 0))[0];
    if (best !== undefined) rules = best.changed;
  }
  return rules;
}

function replaceStopThreshold(rule: Rule, stop: number): Rule {
  const { advise, block } = rule.thresholds;
  const thresholds: RuleThresholds = {
    advise: advise === null ? null : Math.min(advise, stop),
    block: block === null ? null : Math.min(block, stop),
    stop,
  };
  return { ...rule, thresholds };
}
