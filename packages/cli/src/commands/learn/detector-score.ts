/** A detector's verdict on a run: the step after which it came, and its severity. */
export type DetectorVerdict = { readonly step: number; readonly severity: string };

/** The facts about a run that decide whether a verdict on it was right. */
export type ScoredRun = {
  /** Whether the task was solved; null if unknown. */
  readonly success: boolean | null;
  readonly lastStep: number;
  /** The numbers of the agent's own steps. */
  readonly agentSteps: readonly number[];
  readonly judgment: StuckJudgment | null;
};

/** A reviewer's judgment of a run. */
export type StuckJudgment = { readonly stuck: boolean; readonly from: number };

/**
 * harm    solved runs that would have been ended before their last step
 * noise   solved runs with any verdict
 * caught  unsolved runs that would have been ended
 * saved   of the agent's steps in unsolved runs, those after the ending verdict
 * told    runs judged stuck with a verdict no earlier than two steps before the judged start
 * wrong   runs judged not stuck that would have been ended
 */
export const scoreColumns = ['harm', 'noise', 'caught', 'saved', 'told', 'wrong'] as const;
export type ScoreColumn = (typeof scoreColumns)[number];

export type HitRatio = { readonly hits: number; readonly of: number };
export type ScoreRatios = Readonly<Record<ScoreColumn, HitRatio>>;

/** Percentages; null without cases. */
export type DetectorScore = Readonly<Record<ScoreColumn, number | null>>;

/** Computes what one run adds to each column. */
export function computeScoreRatios(run: ScoredRun, verdicts: readonly DetectorVerdict[]): ScoreRatios {
  const end = verdicts.find(isRunEnding);
  const isEnded = end !== undefined && end.step < run.lastStep;
  const isSolved = run.success === true;
  const isUnsolved = run.success === false;
  const isStuck = run.judgment?.stuck === true;
  const isFine = run.judgment?.stuck === false;
  const from = (run.judgment?.from ?? 0) - 2;
  const savedSteps = isUnsolved && isEnded ? run.agentSteps.filter((step) => step > end.step).length : 0;
  return {
    harm: toHitRatio(isSolved, isEnded),
    noise: toHitRatio(isSolved, verdicts.length > 0),
    caught: toHitRatio(isUnsolved, isEnded),
    saved: { hits: savedSteps, of: isUnsolved ? run.agentSteps.length : 0 },
    told: toHitRatio(
      isStuck,
      verdicts.some(({ step }) => step >= from),
    ),
    wrong: toHitRatio(isFine, end !== undefined),
  };
}

export function sumScoreRatios(all: Iterable<ScoreRatios>): ScoreRatios {
  const sums = Object.fromEntries(
    scoreColumns.map((column) => [column, { hits: 0, of: 0 }]),
  ) as MutableRatios;
  for (const ratios of all) {
    for (const column of scoreColumns) {
      sums[column].hits += ratios[column].hits;
      sums[column].of += ratios[column].of;
    }
  }
  return sums;
}

export function toDetectorScore(ratios: ScoreRatios): DetectorScore {
  const percents = scoreColumns.map((column) => [column, toPercent(ratios[column])]);
  return Object.fromEntries(percents) as DetectorScore;
}

export function toPercent({ hits, of }: HitRatio): number | null {
  return of === 0 ? null : (100 * hits) / of;
}

/** Returns whether a verdict ends an unattended run. */
export function isRunEnding({ severity }: DetectorVerdict): boolean {
  return severity === 'ask' || severity === 'stop';
}

type MutableRatios = Record<ScoreColumn, { hits: number; of: number }>;

function toHitRatio(counts: boolean, isHit: boolean): HitRatio {
  return { hits: counts && isHit ? 1 : 0, of: counts ? 1 : 0 };
}
