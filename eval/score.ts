import type { RecordedRun } from '@pawl/governor/traces';
import {
  computeScoreRatios,
  findLastWorkStep,
  scoreColumns,
  sumScoreRatios,
  toDetectorScore,
  type DetectorScore,
  type DetectorVerdict,
  type HitRatio,
  type ScoreColumn,
  type ScoreRatios,
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

/** The lower and the upper bound of a percentage, at 95 % confidence; null without cases. */
export type ScoreIntervals = Readonly<Record<ScoreColumn, readonly [low: number, high: number] | null>>;

export type IntervalScore = DetectorScore & { readonly intervals: ScoreIntervals };

/** Scores a detector on the runs, with the same definitions as `pawl learn`. */
export function scoreDetector({ runs, judged }: EvaluationData, { verdicts }: StuckDetector): IntervalScore {
  return scoreRatios(
    runs.map((run) => {
      const judgment = judged.get(run.id);
      const scored = {
        success: run.success ?? null,
        lastStep: run.steps.at(-1)?.i ?? 0,
        agentSteps: run.steps.filter((step) => step.role !== 'user').map((step) => step.i),
        lastWorkStep: findLastWorkStep(run),
        judgment: judgment === undefined ? null : { stuck: judgment.stuck, from: judgment.from_step ?? 0 },
      };
      return computeScoreRatios(scored, verdicts(run));
    }),
  );
}

/** Scores what single runs add to each column. */
export function scoreRatios(ratios: readonly ScoreRatios[]): IntervalScore {
  const intervals = scoreColumns.map((column) => [
    column,
    computeInterval(
      ratios.map((each) => each[column]),
      column,
    ),
  ]);
  // Every column has an interval.
  return {
    ...toDetectorScore(sumScoreRatios(ratios)),
    intervals: Object.fromEntries(intervals) as ScoreIntervals,
  };
}

/** The two-sided 95 % z-score. */
const zScore = 1.96;

/**
 * Steps of one run are saved together, so the interval of `saved` comes from the variance between runs. In the other
 * columns a run is one case; the Wilson interval also holds for few cases and rare hits.
 */
function computeInterval(
  ratios: readonly HitRatio[],
  column: ScoreColumn,
): readonly [low: number, high: number] | null {
  const hits = ratios.reduce((sum, each) => sum + each.hits, 0);
  const cases = ratios.reduce((sum, each) => sum + each.of, 0);
  if (cases === 0) return null;
  const share = hits / cases;
  if (column === 'saved') {
    const squares = ratios.reduce((sum, each) => sum + (each.hits - share * each.of) ** 2, 0);
    return toPercentInterval(share, zScore * (Math.sqrt(squares) / cases));
  }
  const weight = zScore ** 2 / cases;
  const middle = (share + weight / 2) / (1 + weight);
  const width = Math.sqrt((share * (1 - share) + weight / 4) * (weight / (1 + weight) ** 2));
  return toPercentInterval(middle, width);
}

function toPercentInterval(middle: number, width: number): readonly [low: number, high: number] {
  return [100 * Math.max(0, middle - width), 100 * Math.min(1, middle + width)];
}
