import type { RuleSeverity } from '@pawl/core';
import type { Rule, RuleThresholds } from '@pawl/governor';
import {
  chooseThresholds,
  countNearMisses,
  type NearMissCount,
  crossValidateThresholds,
  type CrossValidation,
} from './choose-thresholds.ts';
import { isAtLeastAsStrict, listTunableThresholds, type TunableThreshold } from './tunable-thresholds.ts';
import type { TrainingFacts } from './training-run.ts';
import { isRunEnding } from './detector-score.ts';
import { computeRequiredRuns, computeUpperBound } from './statistics.ts';
import { judgeRuleCounts, type RuleThresholdMap, severityLadder } from './rule-counts.ts';
import {
  scoreThresholds,
  listWorseMeasures,
  type LearningMeasure,
  type ThresholdScore,
} from './threshold-score.ts';

export type LearningResult = {
  readonly data: TrainingDataSummary;
  readonly inForce: ThresholdScore;
  readonly proposal: ThresholdProposal | null;
  /** Null if there are too few runs to test anything. */
  readonly crossValidation: CrossValidation | null;
  readonly outcome: LearningOutcome;
};

/**
 * proposed    there are better thresholds, also on held-out runs
 * nothing     no other thresholds are better
 * not-held    the chosen thresholds are worse on held-out runs
 * too-little  there are too few runs
 */
export type LearningOutcome =
  | { readonly kind: 'proposed' | 'nothing' | 'too-little' }
  | { readonly kind: 'not-held'; readonly worse: readonly LearningMeasure[] };

export type TrainingDataSummary = {
  readonly runs: number;
  readonly solved: number;
  readonly unsolved: number;
  readonly sources: number;
  readonly solvedNeeded: number;
  readonly unsolvedNeeded: number;
};

export type ThresholdProposal = {
  readonly changes: readonly ThresholdChange[];
  readonly thresholds: RuleThresholdMap;
  readonly score: ThresholdScore;
  /** Upper confidence bound, from held-out runs, of the share of solved runs that would be ended. */
  readonly harmBound: number;
  /** The same bound for each source, the highest first. It says nothing about other sources. */
  readonly harmBySource: readonly SourceHarm[];
  readonly changed: readonly ChangedRun[];
};

/** Solved runs of a source, and those of them that would be ended by thresholds that were selected without them. */
export type SourceHarm = {
  readonly source: string;
  readonly solved: number;
  readonly ended: number;
  readonly bound: number;
};

/** A proposed change to one threshold, with its evidence. */
export type ThresholdChange = {
  readonly rule: string;
  readonly severity: RuleSeverity;
  readonly from: number;
  readonly to: number;
  /** Runs in which the rule's count reaches the new threshold, by outcome. */
  readonly reached: { readonly solved: number; readonly unsolved: number; readonly unknown: number };
  readonly nearMisses: NearMissCount;
  /** Number of folds in which the same value was chosen on the other folds. */
  readonly chosenIn: number;
  /** Whether advice no longer precedes the end. */
  readonly isUnannounced: boolean;
};

/** A run that would end at a different step; null if it would not be ended. */
export type ChangedRun = {
  readonly run: string;
  readonly source: string;
  readonly success: boolean | null;
  readonly was: number | null;
  readonly is: number | null;
  /** Number of the agent's steps between the two ends. */
  readonly steps: number;
};

/** Ending one solved run in fifty is too many, so the bound must be below this share. */
const maxHarmShare = 0.02;
const minUnsolvedRuns = 30;

/**
 * Learns the thresholds of these rules that past runs support. Deterministic. It can take long, and yields the name of
 * each fold that it holds out.
 */
export function* learnThresholds(
  runs: readonly TrainingFacts[],
  rules: readonly Rule[],
): Generator<string, LearningResult, undefined> {
  const inForce: RuleThresholdMap = new Map(rules.map(({ id, thresholds }) => [id, thresholds]));
  const data = summarizeTrainingData(runs);
  const base = { data, inForce: scoreThresholds(runs, inForce) };
  if (data.solved < data.solvedNeeded || data.unsolved < data.unsolvedNeeded)
    return { ...base, proposal: null, crossValidation: null, outcome: { kind: 'too-little' } };
  const tunables = listTunableThresholds(rules);
  yield 'nothing';
  const chosen = chooseThresholds(runs, inForce, tunables);
  const crossValidation = yield* crossValidateThresholds(runs, inForce, tunables);
  const tested = { ...base, crossValidation };
  if (!isAtLeastAsStrict(inForce, chosen))
    throw new Error('Bug in threshold learning: a chosen threshold is looser than the current one.');
  const changes = listThresholdChanges(runs, { tunables, inForce, chosen, folds: crossValidation.folds });
  if (changes.length === 0) return { ...tested, proposal: null, outcome: { kind: 'nothing' } };
  const worse = listWorseMeasures(crossValidation.learnt, crossValidation.inForce);
  const { harm } = crossValidation.learnt.shares;
  const harmBound = computeUpperBound(harm.hits, harm.of);
  if (worse.length > 0) return { ...tested, proposal: null, outcome: { kind: 'not-held', worse } };
  const changed = findChangedRuns(runs, inForce, chosen);
  const score = scoreThresholds(runs, chosen);
  const harmBySource = listSourceHarm(runs, crossValidation.learnt);
  const proposal = { changes, thresholds: chosen, score, harmBound, harmBySource, changed };
  return { ...tested, proposal, outcome: { kind: 'proposed' } };
}

function listSourceHarm(
  runs: readonly TrainingFacts[],
  { harmBySource }: ThresholdScore,
): readonly SourceHarm[] {
  const solvedBySource = Map.groupBy(
    runs.filter(({ success }) => success === true),
    ({ source }) => source,
  );
  return [...solvedBySource]
    .map(([source, { length: solved }]) => {
      const ended = harmBySource.get(source) ?? 0;
      return { source, solved, ended, bound: computeUpperBound(ended, solved) };
    })
    .toSorted((a, b) => b.bound - a.bound);
}

function summarizeTrainingData(runs: readonly TrainingFacts[]): TrainingDataSummary {
  return {
    runs: runs.length,
    solved: runs.filter(({ success }) => success === true).length,
    unsolved: runs.filter(({ success }) => success === false).length,
    sources: new Set(runs.map(({ source }) => source)).size,
    solvedNeeded: computeRequiredRuns(maxHarmShare),
    unsolvedNeeded: minUnsolvedRuns,
  };
}

type ThresholdChoice = {
  readonly tunables: readonly TunableThreshold[];
  readonly inForce: RuleThresholdMap;
  readonly chosen: RuleThresholdMap;
  readonly folds: CrossValidation['folds'];
};

function listThresholdChanges(
  runs: readonly TrainingFacts[],
  { tunables, inForce, chosen, folds }: ThresholdChoice,
): readonly ThresholdChange[] {
  const timeRules = new Set(tunables.flatMap(({ rule, isTime }) => (isTime ? [rule] : [])));
  return [...inForce].flatMap(([rule, was]) => {
    const is = chosen.get(rule) ?? was;
    return severityLadder.flatMap((severity): readonly ThresholdChange[] => {
      const [from, to] = [was[severity] ?? null, is[severity] ?? null];
      if (from === null || to === null || from === to) return [];
      return [
        {
          rule,
          severity,
          from,
          to,
          reached: countReachingRuns(runs, rule, to),
          nearMisses: countNearMisses(runs, { rule, isTime: timeRules.has(rule) }, to),
          chosenIn: folds.filter((fold) => fold.chosen.get(rule)?.[severity] === to).length,
          isUnannounced: severity === 'stop' && isEndAnnounced(was) && !isEndAnnounced(is),
        },
      ];
    });
  });
}

function isEndAnnounced({ advise, stop }: RuleThresholds): boolean {
  return advise !== null && stop !== null && advise < stop;
}

function countReachingRuns(
  runs: readonly TrainingFacts[],
  rule: string,
  value: number,
): ThresholdChange['reached'] {
  const reached = runs.filter(({ counts }) =>
    counts.some((each) => each.rule === rule && each.count >= value),
  );
  const countBy = (success: boolean | null): number =>
    reached.filter((run) => run.success === success).length;
  return { solved: countBy(true), unsolved: countBy(false), unknown: countBy(null) };
}

function findChangedRuns(
  runs: readonly TrainingFacts[],
  inForce: RuleThresholdMap,
  chosen: RuleThresholdMap,
): readonly ChangedRun[] {
  return runs
    .flatMap((run): readonly ChangedRun[] => {
      const [was, is] = [findRunEnd(run, inForce), findRunEnd(run, chosen)];
      if (was === is) return [];
      const [from, to] = [
        Math.min(was ?? Infinity, is ?? Infinity),
        Math.max(was ?? Infinity, is ?? Infinity),
      ];
      const steps = run.agentSteps.filter((step) => step > from && step <= to).length;
      return [{ run: run.id, source: run.source, success: run.success, was, is, steps }];
    })
    .toSorted((a, b) => b.steps - a.steps || (a.run < b.run ? -1 : 1));
}

/** Returns the step after which the thresholds end a run; null if they do not end it before its last step. */
function findRunEnd(run: TrainingFacts, thresholds: RuleThresholdMap): number | null {
  const end = judgeRuleCounts(run.counts, thresholds).find(isRunEnding);
  return end === undefined || end.step >= run.lastStep ? null : end.step;
}
