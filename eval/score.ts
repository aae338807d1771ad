import type { RecordedRun } from '@pawl/core';
import type { Data, Judgement } from './runs.ts';

/** What a detector says of a run: after which step, and how gravely. */
export type Told = { readonly step: number; readonly level: string };
export type Detector = { readonly name: string; readonly verdicts: (run: RecordedRun) => readonly Told[] };

/**
 * harm    solved runs that would have been ended before their last step
 * noise   solved runs that got any verdict at all
 * caught  unsolved runs that would have been ended
 * saved   of the assistant's steps in unsolved runs, those after the ending verdict
 * told    runs judged truly stuck in which a verdict came from two steps before the judged start on
 * wrong   runs judged not stuck that would have been ended
 */
export type Score = Readonly<Record<Column, number | null>>;
export const columns = ['harm', 'noise', 'caught', 'saved', 'told', 'wrong'] as const;
type Column = (typeof columns)[number];

/** Shares in percent; null where there is nothing to take a share of. */
export function score(data: Data, { verdicts }: Detector): Score {
  const shares = Object.fromEntries(columns.map((column) => [column, new Share()])) as Record<Column, Share>;
  for (const run of data.runs) {
    const told = verdicts(run);
    countOutcome(shares, run, told);
    countJudgement(shares, data.judged.get(run.id), told);
  }
  return Object.fromEntries(columns.map((column) => [column, shares[column].percent])) as Score;
}

class Share {
  #hits = 0;
  #of = 0;

  add(hits: number | boolean, of = 1): void {
    this.#hits += Number(hits);
    this.#of += of;
  }

  get percent(): number | null {
    return this.#of === 0 ? null : (100 * this.#hits) / this.#of;
  }
}

function countOutcome(shares: Record<Column, Share>, run: RecordedRun, told: readonly Told[]): void {
  const end = told.find(isEnding);
  const isEnded = end !== undefined && end.step < (run.steps.at(-1)?.i ?? 0);
  if (run.success === true) {
    shares.harm.add(isEnded);
    shares.noise.add(told.length > 0);
  }
  if (run.success === false) {
    const work = run.steps.filter((step) => step.role !== 'user');
    shares.caught.add(isEnded);
    shares.saved.add(isEnded ? work.filter((step) => step.i > end.step).length : 0, work.length);
  }
}

function countJudgement(
  shares: Record<Column, Share>,
  judgement: Judgement | undefined,
  told: readonly Told[],
): void {
  const from = (judgement?.from_step ?? 0) - 2;
  if (judgement?.stuck === true) shares.told.add(told.some(({ step }) => step >= from));
  if (judgement?.stuck === false) shares.wrong.add(told.some(isEnding));
}

function isEnding({ level }: Told): boolean {
  return level === 'ask' || level === 'stop';
}
