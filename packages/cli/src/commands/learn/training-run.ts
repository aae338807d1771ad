import type { Rule } from '@pawl/governor';
import type { RecordedRun } from '@pawl/governor/traces';
import { collectRuleCounts, type RuleCount } from './rule-counts.ts';
import { findLastWorkStep, type StuckJudgment, type ScoredRun } from './detector-score.ts';

/** The facts of a run that learning needs: a few numbers, no contents. */
export type TrainingFacts = ScoredRun & {
  readonly id: string;
  /** The origin; runs of one source are similar, so they are held out together. */
  readonly source: string;
  readonly counts: readonly RuleCount[];
};

/** A run with its known outcome. */
export type TrainingRun = {
  readonly run: RecordedRun;
  readonly source: string;
  readonly success: boolean | null;
  readonly judgment: StuckJudgment | null;
  /** The mode of each step by number, if known. */
  readonly modes?: ReadonlyMap<number, string>;
};

export type CountingOptions = {
  readonly rules: readonly Rule[];
  readonly minCounts: ReadonlyMap<string, number>;
};

export function extractTrainingFacts(
  trainingRun: TrainingRun,
  { rules, minCounts }: CountingOptions,
): TrainingFacts {
  const { run, source, success, judgment } = trainingRun;
  return {
    id: run.id,
    source,
    success,
    judgment,
    lastStep: run.steps.at(-1)?.i ?? 0,
    agentSteps: run.steps.filter(({ role }) => role !== 'user').map(({ i }) => i),
    lastWorkStep: findLastWorkStep(run),
    counts: collectRuleCounts(run, rules, minCounts),
  };
}
