/** What a detector says of a run: after which step, and how gravely. */
export type Told = { readonly step: number; readonly level: string };

/** What there is to know of a run to tell whether what was said of it was right. */
export type ScoredRun = {
  /** Whether the task was solved; null where nobody knows. */
  readonly success: boolean | null;
  /** The number of its last step. */
  readonly lastStep: number;
  /** The numbers of the agent's own steps. */
  readonly work: readonly number[];
  readonly judgement: Judgement | null;
};

/** What a person who read a run thinks of it. */
export type Judgement = { readonly stuck: boolean; readonly from: number };

/**
 * harm    solved runs that would have been ended before their last step
 * noise   solved runs that got any verdict at all
 * caught  unsolved runs that would have been ended
 * saved   of the assistant's steps in unsolved runs, those after the ending verdict
 * told    runs judged truly stuck in which a verdict came from two steps before the judged start on
 * wrong   runs judged not stuck that would have been ended
 */
export const columns = ['harm', 'noise', 'caught', 'saved', 'told', 'wrong'] as const;
export type Column = (typeof columns)[number];

/** How many of how many. */
export type Share = { readonly hits: number; readonly of: number };
export type Shares = Readonly<Record<Column, Share>>;

/** Shares in percent; null where there is nothing to take a share of. */
export type Score = Readonly<Record<Column, number | null>>;

/** What one run adds to each column. */
export function sharesOf(run: ScoredRun, told: readonly Told[]): Shares {
  const end = told.find(isEnding);
  const isEnded = end !== undefined && end.step < run.lastStep;
  const isSolved = run.success === true;
  const isUnsolved = run.success === false;
  const isStuck = run.judgement?.stuck === true;
  const isFine = run.judgement?.stuck === false;
  const from = (run.judgement?.from ?? 0) - 2;
  const after = isUnsolved && isEnded ? run.work.filter((step) => step > end.step).length : 0;
  return {
    harm: one(isSolved, isEnded),
    noise: one(isSolved, told.length > 0),
    caught: one(isUnsolved, isEnded),
    saved: { hits: after, of: isUnsolved ? run.work.length : 0 },
    told: one(
      isStuck,
      told.some(({ step }) => step >= from),
    ),
    wrong: one(isFine, end !== undefined),
  };
}

export function sumOf(all: Iterable<Shares>): Shares {
  const sums = Object.fromEntries(columns.map((column) => [column, { hits: 0, of: 0 }])) as Sums;
  for (const shares of all) {
    for (const column of columns) {
      sums[column].hits += shares[column].hits;
      sums[column].of += shares[column].of;
    }
  }
  return sums;
}

export function scoreOf(shares: Shares): Score {
  const percents = columns.map((column) => [column, percentOf(shares[column])]);
  return Object.fromEntries(percents) as Score;
}

export function percentOf({ hits, of }: Share): number | null {
  return of === 0 ? null : (100 * hits) / of;
}

/** Whether a verdict ends the run where nobody is there to be asked. */
export function isEnding({ level }: Told): boolean {
  return level === 'ask' || level === 'stop';
}

type Sums = Record<Column, { hits: number; of: number }>;

function one(counts: boolean, isHit: boolean): Share {
  return { hits: counts && isHit ? 1 : 0, of: counts ? 1 : 0 };
}
