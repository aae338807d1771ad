import type { RecordedRun } from '@pawl/governor/traces';
import {
  toDetectorScore,
  computeScoreRatios,
  sumScoreRatios,
  type DetectorScore,
  type DetectorVerdict,
} from '../packages/cli/src/commands/learn/detector-score.ts';
import type { EvaluationData } from './runs.ts';

export {
  scoreColumns,
  type DetectorScore,
  type DetectorVerdict,
} from '../packages/cli/src/commands/learn/detector-score.ts';

export type StuckDetector = {
  readonly name: string;
  readonly verdicts: (run: RecordedRun) => readonly DetectorVerdict[];
};

/** Scores a detector on the runs, with the same definitions as `pawl learn`. */
export function scoreDetector({ runs, judged }: EvaluationData, { verdicts }: StuckDetector): DetectorScore {
  const shares = runs.map((run) => {
    const judgment = judged.get(run.id);
    const scored = {
      success: run.success ?? null,
      lastStep: run.steps.at(-1)?.i ?? 0,
      agentSteps: run.steps.filter((step) => step.role !== 'user').map((step) => step.i),
      judgment: judgment === undefined ? null : { stuck: judgment.stuck, from: judgment.from_step ?? 0 },
    };
    return computeScoreRatios(scored, verdicts(run));
  });
  return toDetectorScore(sumScoreRatios(shares));
}
