import { setThreshold, type TunableThreshold } from './tunable-thresholds.ts';
import type { TrainingFacts } from './training-run.ts';
import type { RuleThresholdMap } from './rule-counts.ts';
import {
  compareThresholdScores,
  isMoreHarmful,
  createRuleScorer,
  sumThresholdScores,
  findAffectedRuns,
  listWorseMeasures,
  type ThresholdScore,
  scoreThresholds,
} from './threshold-score.ts';
import { hashTextToNumber } from './statistics.ts';

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

/** Solved runs that almost reached a threshold and recovered on their own. */
export type NearMissCount = { readonly runs: number; readonly sources: number };

/**
 * Counts solved runs that came close to a threshold. That no solved run reached it may be luck or an artifact of the
 * sources; only many near misses from several sources show that a lower threshold is safe.
 */
export function countNearMisses(
  runs: readonly TrainingFacts[],
  { rule, isTime }: Pick<TunableThreshold, 'rule' | 'isTime'>,
  value: number,
): NearMissCount {
  const nearValue = isTime ? Math.floor(value * 0.8) : value - 1;
  const nearRuns = runs.filter(
    ({ success, counts }) =>
      success === true && counts.some((each) => each.rule === rule && each.count >= nearValue),
  );
  return { runs: nearRuns.length, sources: new Set(nearRuns.map(({ source }) => source)).size };
}

const minNearMissRuns = 10;
const minNearMissSources = 3;

/** If there are fewer sources than required, all of them suffice. */
function hasEnoughNearMisses({ runs, sources }: NearMissCount, sourceCount: number): boolean {
  return runs >= minNearMissRuns && sources >= Math.min(minNearMissSources, sourceCount);
}

/** The scores on a fold of thresholds chosen on all other folds. */
type HeldOutResult = {
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

/** The runs held out in one fold, and the rest. */
type RunFold<Run> = {
  readonly name: string;
  readonly held: readonly Run[];
  readonly rest: readonly Run[];
};

type RunFolds<Run> = {
  /** Folds by source test on unseen sources; with too few sources, folds are by run. */
  readonly by: 'source' | 'run';
  readonly folds: readonly RunFold<Run>[];
};

/** More folds take longer without adding information. */
export const maxFolds = 10;

/** With fewer sources, the result says little about an unseen source. */
const minFoldSources = 3;

/**
 * Assigns each run to exactly one fold, deterministically. Sources stay whole; if there are more sources than folds,
 * the small ones share a fold.
 */
export function createFolds<Run extends { readonly id: string; readonly source: string }>(
  runs: readonly Run[],
): RunFolds<Run> {
  const bySource = Map.groupBy(runs, ({ source }) => source);
  const by = bySource.size >= minFoldSources ? 'source' : 'run';
  const parts = by === 'source' ? mergeSmallSources(bySource) : partitionRuns(runs);
  const folds = [...parts].map(([name, held]) => {
    const isHeld = new Set(held);
    return { name, held, rest: runs.filter((run) => !isHeld.has(run)) };
  });
  return { by, folds };
}

type RunGroups<Run> = ReadonlyMap<string, readonly Run[]>;

function mergeSmallSources<Run>(bySource: RunGroups<Run>): RunGroups<Run> {
  const sorted = [...bySource].toSorted(
    ([a, runs], [b, others]) => others.length - runs.length || compareText(a, b),
  );
  if (sorted.length <= maxFolds) return new Map(sorted.toSorted(([a], [b]) => compareText(a, b)));
  const large = sorted.slice(0, maxFolds - 1);
  const small = sorted.slice(maxFolds - 1);
  return new Map([...large, [`${small.length} more`, small.flatMap(([, runs]) => runs)]]);
}

const runPartitionCount = 5;

function partitionRuns<Run extends { readonly id: string }>(runs: readonly Run[]): RunGroups<Run> {
  const groups = Map.groupBy(runs, ({ id }) => hashTextToNumber(id) % runPartitionCount);
  const numbered = [...groups].toSorted(([a], [b]) => a - b);
  return new Map(numbered.map(([number, held]) => [`part ${number + 1}`, held]));
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
