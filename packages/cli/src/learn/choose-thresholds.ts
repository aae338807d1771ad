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
  knobs: readonly TunableThreshold[],
): RuleThresholdMap {
  const { folds } = createFolds(runs);
  let base = inForce;
  for (const knob of knobs) {
    const value = findBestValue(runs, base, knob);
    if (value !== null && isHeldOutImprovement(folds, base, knob)) base = setThreshold(base, knob, value);
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
  knob: TunableThreshold,
): number | null {
  const scale = createRuleScorer(runs, base, knob.rule);
  const touched = findAffectedRuns(runs, knob.rule);
  const sources = new Set(runs.map(({ source }) => source)).size;
  const values = knob.values.filter(
    (value) => value > knob.from || hasEnoughNearMisses(countNearMisses(touched, knob, value), sources),
  );
  let best: { readonly value: number; readonly weight: ThresholdScore } | null = null;
  for (const value of values) {
    const weight = scale.weigh(setThreshold(base, knob, value));
    if (listWorseMeasures(weight, scale.base).length > 0 || isMoreHarmful(weight, scale.base)) continue;
    if (compareThresholdScores(weight, best?.weight ?? scale.base) > 0) best = { value, weight };
  }
  return best?.value ?? null;
}

function isHeldOutImprovement(
  folds: readonly RunFold<TrainingFacts>[],
  base: RuleThresholdMap,
  knob: TunableThreshold,
): boolean {
  const tried = folds.map(({ held, rest }) => {
    const value = findBestValue(rest, base, knob);
    const scale = createRuleScorer(held, base, knob.rule);
    return {
      before: scale.base,
      after: value === null ? scale.base : scale.weigh(setThreshold(base, knob, value)),
    };
  });
  const before = sumThresholdScores(tried.map((each) => each.before));
  const after = sumThresholdScores(tried.map((each) => each.after));
  return (
    listWorseMeasures(after, before).length === 0 &&
    !isMoreHarmful(after, before) &&
    compareThresholdScores(after, before) > 0
  );
}
