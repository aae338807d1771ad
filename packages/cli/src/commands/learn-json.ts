import type { CrossValidation } from '../learn/cross-validate.ts';
import type { ChangedRun, LearningResult, ThresholdProposal } from '../learn/learn-thresholds.ts';
import type { StepRequirements } from '../learn/step-requirements.ts';
import type { FailurePattern } from '../learn/failure-patterns.ts';
import type { ThresholdScore } from '../learn/threshold-score.ts';

export type LearnReport = {
  readonly learnt: LearningResult;
  readonly patterns: readonly FailurePattern[];
  readonly needs: StepRequirements;
};

/** Maximum number of runs listed individually; the rest are counted. */
const maxChangedRuns = 1_000;

/** Converts the learning result to plain JSON. */
export function toLearnJson({ learnt, patterns, needs }: LearnReport, written: string | null): object {
  const { data, outcome, inForce, proposal, crossValidation } = learnt;
  return {
    type: 'learn',
    outcome: outcome.kind,
    worse: outcome.kind === 'not-held' ? outcome.worse : [],
    data,
    patterns,
    needs,
    inForce: inForce.shares,
    proposal: proposal === null ? null : toProposalJson(proposal),
    heldOut: crossValidation === null ? null : toHeldOutJson(crossValidation),
    written,
  };
}

function toProposalJson({ changes, score, harmBound, changed }: ThresholdProposal): object {
  return {
    changes,
    shares: score.shares,
    harmBound,
    earlier: changed.filter(isEndedEarlier).length,
    later: changed.filter((run) => !isEndedEarlier(run)).length,
    runs: changed.slice(0, maxChangedRuns),
  };
}

export function isEndedEarlier({ was, is }: ChangedRun): boolean {
  return is !== null && (was === null || is < was);
}

function toHeldOutJson({ by, folds, ...sums }: CrossValidation): object {
  return {
    by,
    folds: folds.map(({ name, runs, chosen, ...weights }) => ({
      name,
      runs,
      // Rule names are our own, so none can collide with a property of Object.prototype.
      chosen: Object.fromEntries(chosen),
      ...toSharesJson(weights),
    })),
    ...toSharesJson(sums),
  };
}

function toSharesJson({
  inForce,
  learnt,
}: {
  readonly inForce: ThresholdScore;
  readonly learnt: ThresholdScore;
}): object {
  return { inForce: inForce.shares, learnt: learnt.shares };
}
