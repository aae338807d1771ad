import type { RecordedRun } from '@pawl/core';
import { scoreOf, sharesOf, sumOf, type Score, type Told } from '../packages/cli/src/learn/score.ts';
import type { Data } from './runs.ts';

export { columns, type Score, type Told } from '../packages/cli/src/learn/score.ts';

export type Detector = { readonly name: string; readonly verdicts: (run: RecordedRun) => readonly Told[] };

/** How well a detector does on these runs, by the definitions that `pawl learn` goes by as well. */
export function score({ runs, judged }: Data, { verdicts }: Detector): Score {
  const shares = runs.map((run) => {
    const judgement = judged.get(run.id);
    const scored = {
      success: run.success ?? null,
      lastStep: run.steps.at(-1)?.i ?? 0,
      work: run.steps.filter((step) => step.role !== 'user').map((step) => step.i),
      judgement: judgement === undefined ? null : { stuck: judgement.stuck, from: judgement.from_step ?? 0 },
    };
    return sharesOf(scored, verdicts(run));
  });
  return scoreOf(sumOf(shares));
}
