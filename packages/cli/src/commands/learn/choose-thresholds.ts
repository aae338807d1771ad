import { createFolds, type RunFold } from './folds.ts';
import { setThreshold, type TunableThreshold } from './tunable-thresholds.ts';
import { hasEnoughNearMisses, countNearMisses } from './near-misses.ts';
import type { TrainingFacts } from './training-run.ts';
import type { RuleThresholdMap } from './judge-rule-counts.ts';
import {
  compareThresholdScores,
  isMoreHarmful,
  createRuleScorer,
  sumThresholdScores,
  findAffectedRuns,
  listWorseMeasures,
  type ThresholdScore,
} from './threshold-score.ts';

/**
 * Chooses the thresholds that do better on these runs. Thresholds are set one at a time, and only if the gain holds on
 * held-out runs: each fold is tested with the value chosen on the other folds, and the total may not be worse on any
 * measure.
 */
export function chooseThresholds(
  runs: readonly TrainingFacts[],
  inForce: RuleThresholdMap,
  tunables: readonly TunableThreshold[],
): RuleThresholdMap {
  const { folds } = createFolds(runs);
  let base = inForce;
  for (const tunable of tunables) {
    const value = findBestValue(runs, base, tunable);
    if (value !== null && isHeldOutImprovement(folds, base, tunable))
      base = setThreshold(base, tunable, value);
  }
  return base;
}

/**
 * Finds the value with the largest gain that is worse on no measure and harms no source more; null if there is none. A
 * lower threshold also needs enough near misses among solved runs.
 */
function findBestValue(
  runs: readonly TrainingFacts[],
  base: RuleThresholdMap,
  tunable: TunableThreshold,
): number | null {
  const scorer = createRuleScorer(runs, base, tunable.rule);
  const affectedRuns = findAffectedRuns(runs, tunable.rule);
  const sources = new Set(runs.map(({ source }) => source)).size;
  const values = tunable.values.filter(
    (value) =>
      value > tunable.from || hasEnoughNearMisses(countNearMisses(affectedRuns, tunable, value), sources),
  );
  let best: { readonly value: number; readonly score: ThresholdScore } | null = null;
  for (const value of values) {
    const score = scorer.score(setThreshold(base, tunable, value));
    if (listWorseMeasures(score, scorer.base).length > 0 || isMoreHarmful(score, scorer.base)) continue;
    if (compareThresholdScores(score, best?.score ?? scorer.base) > 0) best = { value, score };
  }
  return best?.value ?? null;
}

function isHeldOutImprovement(
  folds: readonly RunFold<TrainingFacts>[],
  base: RuleThresholdMap,
  tunable: TunableThreshold,
): boolean {
  const results = folds.map(({ held, rest }) => {
    const value = findBestValue(rest, base, tunable);
    const scorer = createRuleScorer(held, base, tunable.rule);
    return {
      before: scorer.base,
      after: value === null ? scorer.base : scorer.score(setThreshold(base, tunable, value)),
    };
  });
  const before = sumThresholdScores(results.map((each) => each.before));
  const after = sumThresholdScores(results.map((each) => each.after));
  return (
    listWorseMeasures(after, before).length === 0 &&
    !isMoreHarmful(after, before) &&
    compareThresholdScores(after, before) > 0
  );
}
