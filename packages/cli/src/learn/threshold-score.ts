import type { TrainingFacts } from './training-run.ts';
import { scoreColumns, computeScoreRatios, type HitRatio } from './detector-score.ts';
import { judgeRuleCounts, type RuleThresholdMap } from './judge-rule-counts.ts';

/** The score columns, plus unsolved runs with any verdict. */
export const learningMeasures = [...scoreColumns, 'warned'] as const;
export type LearningMeasure = (typeof learningMeasures)[number];

/** The scores of thresholds on a set of runs. */
export type ThresholdScore = {
  readonly shares: Readonly<Record<LearningMeasure, HitRatio>>;
  /** Solved runs that would be ended, by source. */
  readonly harmIn: ReadonlyMap<string, number>;
};

export function scoreThresholds(
  runs: readonly TrainingFacts[],
  thresholds: RuleThresholdMap,
): ThresholdScore {
  const sum = createEmptyScore();
  for (const run of runs) addThresholdScore(sum, scoreTrainingRun(run, thresholds), 1);
  return sum;
}

export function sumThresholdScores(all: readonly ThresholdScore[]): ThresholdScore {
  const sum = createEmptyScore();
  for (const each of all) addThresholdScore(sum, each, 1);
  return sum;
}

/** Creates a scorer for thresholds that differ in one rule; runs that the rule does not affect are scored once. */
export function createRuleScorer(
  runs: readonly TrainingFacts[],
  base: RuleThresholdMap,
  rule: string,
): RuleScorer {
  const touched = findAffectedRuns(runs, rule);
  const whole = getOrCreate(
    getOrCreate(baseScoreCache, runs, () => new WeakMap()),
    base,
    () => scoreThresholds(runs, base),
  );
  const rest = createEmptyScore();
  addThresholdScore(rest, whole, 1);
  addThresholdScore(rest, scoreThresholds(touched, base), -1);
  return {
    base: whole,
    weigh: (thresholds) => sumThresholdScores([rest, scoreThresholds(touched, thresholds)]),
  };
}

/** Returns the runs in which a rule has counts. */
export function findAffectedRuns(runs: readonly TrainingFacts[], rule: string): readonly TrainingFacts[] {
  const byRule = getOrCreate(affectedRunsCache, runs, () => new Map<string, TrainingFacts[]>());
  if (byRule.size === 0) {
    for (const run of runs) {
      for (const each of new Set(run.counts.map((count) => count.rule))) {
        const list = byRule.get(each) ?? [];
        list.push(run);
        byRule.set(each, list);
      }
    }
  }
  return byRule.get(rule) ?? [];
}

/* Caches per list of runs, because every candidate threshold needs the same values. */
const baseScoreCache = new WeakMap<readonly TrainingFacts[], WeakMap<RuleThresholdMap, ThresholdScore>>();
const affectedRunsCache = new WeakMap<readonly TrainingFacts[], Map<string, TrainingFacts[]>>();

function getOrCreate<Key extends object, Value>(
  cache: WeakMap<Key, Value>,
  key: Key,
  make: () => Value,
): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}

export type RuleScorer = {
  readonly base: ThresholdScore;
  /** Scores thresholds that differ from the base only in this rule. */
  readonly weigh: (thresholds: RuleThresholdMap) => ThresholdScore;
};

/** Higher is worse for these measures; for the others, lower is worse. */
const costMeasures: ReadonlySet<LearningMeasure> = new Set(['harm', 'noise', 'wrong']);

/** Lists the measures on which `weight` is worse than `base`, on the same runs. */
export function listWorseMeasures(weight: ThresholdScore, base: ThresholdScore): readonly LearningMeasure[] {
  return learningMeasures.filter((measure) => computeGain(measure, weight, base) < 0);
}

/** Returns whether any source is harmed more, even if the total is not. */
export function isMoreHarmful(weight: ThresholdScore, base: ThresholdScore): boolean {
  return [...weight.harmIn].some(([source, harm]) => harm > (base.harmIn.get(source) ?? 0));
}

/** Compares in order of priority: steps saved, solved runs without verdicts, unsolved runs warned. */
export function compareThresholdScores(a: ThresholdScore, b: ThresholdScore): number {
  for (const measure of ['saved', 'noise', 'warned'] as const) {
    const gain = computeGain(measure, a, b);
    if (gain !== 0) return gain;
  }
  return 0;
}

function computeGain(measure: LearningMeasure, weight: ThresholdScore, base: ThresholdScore): number {
  const more = weight.shares[measure].hits - base.shares[measure].hits;
  return costMeasures.has(measure) ? -more : more;
}

type MutableThresholdScore = {
  readonly shares: Readonly<Record<LearningMeasure, { hits: number; of: number }>>;
  readonly harmIn: Map<string, number>;
};

function createEmptyScore(): MutableThresholdScore {
  const shares = learningMeasures.map((measure) => [measure, { hits: 0, of: 0 }]);
  return { shares: Object.fromEntries(shares) as MutableThresholdScore['shares'], harmIn: new Map() };
}

function addThresholdScore(
  { shares, harmIn }: MutableThresholdScore,
  weight: ThresholdScore,
  sign: 1 | -1,
): void {
  for (const measure of learningMeasures) {
    shares[measure].hits += sign * weight.shares[measure].hits;
    shares[measure].of += sign * weight.shares[measure].of;
  }
  for (const [source, harm] of weight.harmIn) harmIn.set(source, (harmIn.get(source) ?? 0) + sign * harm);
}

function scoreTrainingRun(run: TrainingFacts, thresholds: RuleThresholdMap): ThresholdScore {
  const told = judgeRuleCounts(run.counts, thresholds);
  const shares = computeScoreRatios(run, told);
  const isUnsolved = run.success === false;
  const warned = { hits: isUnsolved && told.length > 0 ? 1 : 0, of: isUnsolved ? 1 : 0 };
  const { hits } = shares.harm;
  return { shares: { ...shares, warned }, harmIn: hits === 0 ? noHarm : new Map([[run.source, hits]]) };
}

const noHarm: ReadonlyMap<string, number> = new Map();
