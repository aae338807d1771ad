import type { Rule, RuleThresholds } from '@pawl/governor';
import { pawlRules } from '@pawl/governor/rules';
import { computeScoreRatios, type ScoreRatios } from '../packages/cli/src/commands/learn/detector-score.ts';
import { judgeRuleCounts, type RuleThresholdMap } from '../packages/cli/src/commands/learn/rule-counts.ts';
import {
  createRuleScorer,
  scoreThresholds,
  type ThresholdScore,
} from '../packages/cli/src/commands/learn/threshold-score.ts';
import { extractTrainingFacts, type TrainingFacts } from '../packages/cli/src/commands/learn/training-run.ts';
import { getRunFamily, type EvaluationData } from './runs.ts';
import { scoreRatios, type IntervalScore } from './score.ts';

/** The scores on a family of runs of thresholds that were fitted on all other families, and of the shipped ones. */
export type HeldOutFamily = {
  readonly family: string;
  readonly runs: number;
  readonly fitted: IntervalScore;
  readonly shipped: IntervalScore;
  /** The fitted thresholds that differ from the shipped ones. */
  readonly differences: readonly string[];
};

export type LeaveOneFamilyOut = {
  readonly families: readonly HeldOutFamily[];
  /** Each family scored with the thresholds that were fitted without it. */
  readonly fitted: IntervalScore;
  readonly shipped: IntervalScore;
};

/**
 * Leave-one-family-out cross-validation: for each family, the thresholds at which rules end a run are fitted on all
 * other families and scored on this one, which shows how they perform on agents and tasks they were not fitted to. The
 * rules themselves and their advice are not fitted.
 */
export function scoreHeldOutFamilies(data: EvaluationData): LeaveOneFamilyOut {
  const facts = collectTrainingFacts(data);
  const shipped: RuleThresholdMap = new Map(pawlRules.map(({ id, thresholds }) => [id, thresholds]));
  const held = [...Map.groupBy(facts, ({ source }) => source)].map(([family, runs]) => {
    const fitted = fitThresholds(
      facts.filter(({ source }) => source !== family),
      shipped,
    );
    return { family, runs, fitted };
  });
  return {
    families: held.map(({ family, runs, fitted }) => ({
      family,
      runs: runs.length,
      fitted: scoreRatios(scoreRuns(runs, fitted)),
      shipped: scoreRatios(scoreRuns(runs, shipped)),
      differences: listDifferences(shipped, fitted),
    })),
    fitted: scoreRatios(held.flatMap(({ runs, fitted }) => scoreRuns(runs, fitted))),
    shipped: scoreRatios(scoreRuns(facts, shipped)),
  };
}

function scoreRuns(runs: readonly TrainingFacts[], thresholds: RuleThresholdMap): readonly ScoreRatios[] {
  return runs.map((run) => computeScoreRatios(run, judgeRuleCounts(run.counts, thresholds)));
}

/** Counts how far each rule gets in each run; the counts go beyond the shipped thresholds, up to the end of the run. */
function collectTrainingFacts({ runs, judged }: EvaluationData): readonly TrainingFacts[] {
  const rules = pawlRules.map((rule): Rule => ({
    ...rule,
    thresholds: { ...rule.thresholds, ...neverEnding },
  }));
  const minCounts = new Map(
    pawlRules.map(({ id, thresholds }) => {
      const shipped = Object.values(thresholds).flatMap((each) => each ?? []);
      return [id, Math.min(...shipped, ...listCandidates(thresholds).flatMap((each) => each ?? []))];
    }),
  );
  return runs.map((run) => {
    const judgment = judged.get(run.id);
    return extractTrainingFacts(
      {
        run,
        source: getRunFamily(run),
        success: run.success ?? null,
        judgment: judgment === undefined ? null : { stuck: judgment.stuck, from: judgment.from_step ?? 0 },
      },
      { rules, minCounts },
    );
  });
}

const neverEnding = { ask: null, stop: null } as const;

/** The severity at which a rule ends an unattended run; null if it only advises or blocks. */
function findEndingSeverity({ ask = null, stop }: RuleThresholds): 'ask' | 'stop' | null {
  return stop !== null ? 'stop' : ask !== null ? 'ask' : null;
}

/**
 * The values that are tried for the end of a run, the most cautious first: never, and near the shipped one. The end comes
 * after the advice and the block, so that the agent can act on them.
 */
function listCandidates(thresholds: RuleThresholds): readonly (number | null)[] {
  const severity = findEndingSeverity(thresholds);
  const shipped = severity === null ? null : (thresholds[severity] ?? null);
  if (shipped === null) return [];
  const values =
    shipped > 20
      ? [2, 3 / 2, 1, 1 / 2, 1 / 3].map((factor) => factor * shipped)
      : [3, 2, 1, 0, -1, -2].map((step) => shipped + step);
  const milder = Math.max(thresholds.advise ?? 1, thresholds.block ?? 1);
  return [null, ...values.filter((value) => value > milder)];
}

/**
 * How many saved steps outweigh a run that is ended with work still to come, or although it is not stuck: about twenty
 * runs of average length.
 */
const stepsPerLostRun = 200;

/** How often all rules are fitted, because the best threshold of a rule depends on those of the others. */
const fittingRounds = 2;

/** Chooses the thresholds, rule by rule, that save most steps without ending runs that should go on. */
function fitThresholds(runs: readonly TrainingFacts[], shipped: RuleThresholdMap): RuleThresholdMap {
  let chosen: RuleThresholdMap = new Map(
    [...shipped].map(([rule, thresholds]) => [rule, { ...thresholds, ...neverEnding }]),
  );
  for (let round = 0; round < fittingRounds; round += 1) {
    for (const [rule, thresholds] of shipped) {
      const severity = findEndingSeverity(thresholds);
      if (severity === null) continue;
      const scorer = createRuleScorer(runs, chosen, rule);
      const tries = listCandidates(thresholds).map((value) => {
        const changed = new Map([...chosen, [rule, { ...thresholds, ...neverEnding, [severity]: value }]]);
        return { changed, score: scorer.score(changed) };
      });
      const best = tries.toSorted((a, b) => rateThresholds(b.score) - rateThresholds(a.score))[0];
      if (best !== undefined) chosen = best.changed;
    }
  }
  return chosen;
}

function rateThresholds({ shares: { saved, net, wrong } }: ThresholdScore): number {
  return saved.hits - stepsPerLostRun * (net.hits + wrong.hits);
}

function listDifferences(shipped: RuleThresholdMap, fitted: RuleThresholdMap): readonly string[] {
  return [...shipped].flatMap(([rule, thresholds]) => {
    const severity = findEndingSeverity(thresholds);
    if (severity === null) return [];
    const value = fitted.get(rule)?.[severity] ?? null;
    return value === thresholds[severity] ? [] : [`${rule} ${value ?? 'never'}`];
  });
}

/** What a rule contributes to the others. */
export type RulePayoff = {
  readonly rule: string;
  /** Families in which the rule has any verdict on its own. */
  readonly verdictFamilies: number;
  /** Those in which its verdicts are more frequent in failing runs than in others. */
  readonly families: readonly string[];
  /** Steps of unsolved runs that only this rule saves. */
  readonly savedSteps: number;
  /** Failing runs with verdicts of this rule only. */
  readonly warnedRuns: number;
};

/** Measures what each rule contributes, on its own and to the others. A failing run is unsolved or judged stuck. */
export function measureRulePayoffs(data: EvaluationData): readonly RulePayoff[] {
  const facts = collectTrainingFacts(data);
  const families = Map.groupBy(facts, ({ source }) => source);
  const all: RuleThresholdMap = new Map(pawlRules.map(({ id, thresholds }) => [id, thresholds]));
  return pawlRules.map(({ id, thresholds }) => {
    const alone: RuleThresholdMap = new Map([[id, thresholds]]);
    const without: RuleThresholdMap = new Map([...all].filter(([rule]) => rule !== id));
    const lifts = [...families].map(([family, runs]) => ({ family, ...measureLift(runs, alone) }));
    const affected = facts.filter(({ counts }) => counts.some(({ rule }) => rule === id));
    const [before, after] = [scoreThresholds(affected, without), scoreThresholds(affected, all)];
    return {
      rule: id,
      verdictFamilies: lifts.filter(({ failing, others }) => failing + others > 0).length,
      families: lifts.filter(({ failing, others }) => failing > others).map(({ family }) => family),
      savedSteps: after.shares.saved.hits - before.shares.saved.hits,
      warnedRuns: affected.filter(
        (run) => isFailing(run) && hasVerdict(run, all) && !hasVerdict(run, without),
      ).length,
    };
  });
}

type VerdictShares = { readonly failing: number; readonly others: number };

/** The shares of the failing and of the other runs that get a verdict; runs without an outcome do not count. */
function measureLift(runs: readonly TrainingFacts[], thresholds: RuleThresholdMap): VerdictShares {
  const known = runs.filter(({ success, judgment }) => success !== null || judgment !== null);
  const shareOf = (part: readonly TrainingFacts[]): number =>
    part.length === 0 ? 0 : part.filter((run) => hasVerdict(run, thresholds)).length / part.length;
  return {
    failing: shareOf(known.filter(isFailing)),
    others: shareOf(known.filter((run) => !isFailing(run))),
  };
}

function isFailing({ success, judgment }: TrainingFacts): boolean {
  return judgment === null ? success === false : judgment.stuck;
}

function hasVerdict({ counts }: TrainingFacts, thresholds: RuleThresholdMap): boolean {
  return judgeRuleCounts(counts, thresholds).length > 0;
}
