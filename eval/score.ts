import type { RecordedRun } from '@pawl/core';
import type { Data } from './runs.ts';

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
  const tally = new Map<Column, { hits: number; of: number }>(
    columns.map((column) => [column, { hits: 0, of: 0 }]),
  );
  const add = (column: Column, hits: number, of = 1): void => {
    const entry = tally.get(column);
    if (entry !== undefined) [entry.hits, entry.of] = [entry.hits + hits, entry.of + of];
  };
  for (const run of data.runs) {
    const told = verdicts(run);
    const end = told.find(({ level }) => level === 'ask' || level === 'stop');
    const last = run.steps.at(-1)?.i ?? 0;
    const isEnded = end !== undefined && end.step < last;
    if (run.success === true) {
      add('harm', Number(isEnded));
      add('noise', Number(told.length > 0));
    }
    if (run.success === false) {
      const work = run.steps.filter((step) => step.role !== 'user');
      add('caught', Number(isEnded));
      add('saved', isEnded ? work.filter((step) => step.i > end.step).length : 0, work.length);
    }
    const judgement = data.judged.get(run.id);
    const from = (judgement?.from_step ?? 0) - 2;
    if (judgement?.stuck === true) add('told', Number(told.some(({ step }) => step >= from)));
    if (judgement?.stuck === false) add('wrong', Number(end !== undefined));
  }
  const percent = (column: Column): number | null => {
    const { hits, of } = tally.get(column) ?? { hits: 0, of: 0 };
    return of === 0 ? null : (100 * hits) / of;
  };
  return {
    harm: percent('harm'),
    noise: percent('noise'),
    caught: percent('caught'),
    saved: percent('saved'),
    told: percent('told'),
    wrong: percent('wrong'),
  };
}
