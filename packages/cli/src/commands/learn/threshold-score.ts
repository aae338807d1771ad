import type { TrainingFacts } from './training-run.ts';
import { scoreColumns, computeScoreRatios, type HitRatio } from './detector-score.ts';
import { judgeRuleCounts, type RuleThresholdMap } from './rule-counts.ts';

/** The score columns, plus unsolved runs with any verdict. */
export const learningMeasures = [...scoreColumns, 'warned'] as const;
export type LearningMeasure = (typeof learningMeasures)[number];

/** The scores of thresholds on a set of runs. */
export type ThresholdScore = {
  readonly shares: Readonly<Record<LearningMeasure, HitRatio>>;
  /** Solved runs that would be ended, by source. */
  readonly harmBySource: ReadonlyMap<string, number>;
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
  const affectedRuns = findAffectedRuns(runs, rule);
  const baseScore = getOrCreate(
    getOrCreate(baseScoreCache, runs, () => new WeakMap()),
    base,
    () => scoreThresholds(runs, base),
  );
  const rest = createEmptyScore();
  addThresholdScore(rest, baseScore, 1);
  addThresholdScore(rest, scoreThresholds(affectedRuns, base), -1);
  return {
    base: baseScore,
    score: (thresholds) => sumThresholdScores([rest, scoreThresholds(affectedRuns, thresholds)]),
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
  create: () => Value,
): Value {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const created = create();
  cache.set(key, created);
  return created;
}

export type RuleScorer = {
  readonly base: ThresholdScore;
  /** Scores thresholds that differ from the base only in this rule. */
  readonly score: (thresholds: RuleThresholdMap) => ThresholdScore;
};

/** Higher is worse for these measures; for the others, lower is worse. */
const costMeasures: ReadonlySet<LearningMeasure> = new Set(['harm', 'net', 'noise', 'wrong']);

/** Lists the measures on which `score` is worse than `base`, on the same runs. */
export function listWorseMeasures(score: ThresholdScore, base: ThresholdScore): readonly LearningMeasure[] {
  return learningMeasures.filter((measure) => computeGain(measure, score, base) < 0);
}

/** Returns whether any source is harmed more, even if the total is not. */
export function isMoreHarmful(score: ThresholdScore, base: ThresholdScore): boolean {
  return [...score.harmBySource].some(([source, harm]) => harm > (base.harmBySource.get(source) ?? 0));
}

/** Compares in order of priority: steps saved, solved runs without verdicts, unsolved runs warned. */
export function compareThresholdScores(a: ThresholdScore, b: ThresholdScore): number {
  for (const measure of ['saved', 'noise', 'warned'] as const) {
    const gain = computeGain(measure, a, b);
    if (gain !== 0) return gain;
  }
  return 0;
}

function computeGain(measure: LearningMeasure, score: ThresholdScore, base: ThresholdScore): number {
  const difference = score.shares[measure].hits - base.shares[measure].hits;
  return costMeasures.has(measure) ? -difference : difference;
}

type MutableThresholdScore = {
  readonly shares: Readonly<Record<LearningMeasure, { hits: number; of: number }>>;
  readonly harmBySource: Map<string, number>;
};

function createEmptyScore(): MutableThresholdScore {
  const entries = learningMeasures.map((measure) => [measure, { hits: 0, of: 0 }]);
  return { shares: Object.fromEntries(entries) as MutableThresholdScore['shares'], harmBySource: new Map() };
}

function addThresholdScore(
  { shares, harmBySource }: MutableThresholdScore,
  score: ThresholdScore,
  sign: 1 | -1,
): void {
  for (const measure of learningMeasures) {
    shares[measure].hits += sign * score.shares[measure].hits;
    shares[measure].of += sign * score.shares[measure].of;
  }
  for (const [source, harm] of score.harmBySource)
    harmBySource.set(source, (harmBySource.get(source) ?? 0) + sign * harm);
}

function scoreTrainingRun(run: TrainingFacts, thresholds: RuleThresholdMap): ThresholdScore {
  const verdicts = judgeRuleCounts(run.counts, thresholds);
  const shares = computeScoreRatios(run, verdicts);
  const isUnsolved = run.success === false;
  const warned = { hits: isUnsolved && verdicts.length > 0 ? 1 : 0, of: isUnsolved ? 1 : 0 };
  const { hits } = shares.harm;
  return { shares: { ...shares, warned }, harmBySource: hits === 0 ? noHarm : new Map([[run.source, hits]]) };
}

const noHarm: ReadonlyMap<string, number> = new Map();
