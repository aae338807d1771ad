import { chooseThresholds } from './choose-thresholds.ts';
import { createFolds, type RunFolds } from './folds.ts';
import type { TunableThreshold } from './tunable-thresholds.ts';
import type { TrainingFacts } from './training-run.ts';
import type { RuleThresholdMap } from './judge-rule-counts.ts';
import { sumThresholdScores, scoreThresholds, type ThresholdScore } from './threshold-score.ts';

/** The scores on a fold of thresholds chosen on all other folds. */
export type HeldOutResult = {
  readonly name: string;
  readonly runs: number;
  readonly chosen: RuleThresholdMap;
  readonly inForce: ThresholdScore;
  readonly learnt: ThresholdScore;
};

export type CrossValidation = {
  readonly by: RunFolds<TrainingFacts>['by'];
  readonly folds: readonly HeldOutResult[];
  /** Totals over all folds. */
  readonly inForce: ThresholdScore;
  readonly learnt: ThresholdScore;
};

/**
 * Chooses the thresholds again without each fold, so that the fold is unseen when they are tested on it. Yields the
 * name of each fold first, so that the caller can stop in between.
 */
export function* crossValidateThresholds(
  runs: readonly TrainingFacts[],
  inForce: RuleThresholdMap,
  tunables: readonly TunableThreshold[],
): Generator<string, CrossValidation, undefined> {
  const { by, folds } = createFolds(runs);
  const results: HeldOutResult[] = [];
  for (const { name, held, rest } of folds) {
    yield name;
    const chosen = chooseThresholds(rest, inForce, tunables);
    const scores = { inForce: scoreThresholds(held, inForce), learnt: scoreThresholds(held, chosen) };
    results.push({ name, runs: held.length, chosen, ...scores });
  }
  return {
    by,
    folds: results,
    inForce: sumThresholdScores(results.map((each) => each.inForce)),
    learnt: sumThresholdScores(results.map((each) => each.learnt)),
  };
}
