import type { RecordedRun } from '@pawl/governor/traces';

/** A detector's verdict on a run: the step after which it came, and its severity. */
export type DetectorVerdict = { readonly step: number; readonly severity: string };

/** The facts about a run that decide whether a verdict on it was right. */
export type ScoredRun = {
  /** Whether the task was solved; null if unknown. */
  readonly success: boolean | null;
  readonly lastStep: number;
  /** The numbers of the agent's own steps. */
  readonly agentSteps: readonly number[];
  /** The number of the last step that brought work, as `findLastWorkStep` defines it. */
  readonly lastWorkStep: number;
  readonly judgment: StuckJudgment | null;
};

/** A reviewer's judgment of a run. */
export type StuckJudgment = { readonly stuck: boolean; readonly from: number };

/**
 * harm    solved runs that would have been ended before their last step
 * net     those of them in which work was still to come
 * noise   solved runs with any verdict
 * caught  unsolved runs that would have been ended
 * saved   of the agent's steps in unsolved runs, those after the ending verdict
 * told    runs judged stuck with a verdict no earlier than two steps before the judged start
 * wrong   runs judged not stuck that would have been ended
 */
export const scoreColumns = ['harm', 'net', 'noise', 'caught', 'saved', 'told', 'wrong'] as const;
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
    net: toHitRatio(isSolved, isEnded && end.step < run.lastWorkStep),
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

/**
 * Finds the last step that brought work: a step of the agent that had not occurred before in the run, that is not marked
 * as an error, and that does not only hand in the result. A run that is ended after it loses nothing. -1 without one.
 */
export function findLastWorkStep({ steps }: RecordedRun): number {
  const earlier = new Set<string>();
  let last = -1;
  for (const { i, role, tool, args, argsHash, text, error } of steps) {
    if (role === 'user') continue;
    const work = argsHash ?? (tool === undefined ? text : JSON.stringify(args));
    const key = `${tool} ${work}`;
    const isHandingIn = handingIn.test(`${tool ?? ''}${JSON.stringify(args ?? '').slice(0, 80)}`);
    if (!earlier.has(key) && error !== true && !isHandingIn) last = i;
    earlier.add(key);
  }
  return last;
}

const handingIn = /submit|finish|COMPLETE_TASK/i;

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
