import type { RecordedRun, Rule } from '@pawl/core';
import { countsIn, type Count } from './counts.ts';
import type { Judgement, ScoredRun } from './score.ts';

/** What is kept of a run to learn from: a few numbers, and nothing of what was said in it. */
export type RunFacts = ScoredRun & {
  readonly id: string;
  /** Where it comes from: runs of one source are alike, and are held out together. */
  readonly source: string;
  readonly counts: readonly Count[];
};

/** A run with what is known of its outcome. */
export type LearntRun = {
  readonly run: RecordedRun;
  readonly source: string;
  readonly success: boolean | null;
  readonly judgement: Judgement | null;
  /** The mode that each step was taken in, by its number, for those who know. */
  readonly modes?: ReadonlyMap<number, string>;
};

export type Counting = { readonly rules: readonly Rule[]; readonly least: ReadonlyMap<string, number> };

export function factsOf(learnt: LearntRun, { rules, least }: Counting): RunFacts {
  const { run, source, success, judgement } = learnt;
  return {
    id: run.id,
    source,
    success,
    judgement,
    lastStep: run.steps.at(-1)?.i ?? 0,
    work: run.steps.filter(({ role }) => role !== 'user').map(({ i }) => i),
    counts: countsIn(run, rules, least),
  };
}
