import { hashTextToNumber } from './statistics.ts';

/** The runs held out in one fold, and the rest. */
export type RunFold<Run> = {
  readonly name: string;
  readonly held: readonly Run[];
  readonly rest: readonly Run[];
};

export type RunFolds<Run> = {
  /** Folds by source test on unseen sources; with too few sources, folds are by run. */
  readonly by: 'source' | 'run';
  readonly folds: readonly RunFold<Run>[];
};

/** More folds take longer without adding information. */
export const maxFolds = 10;

/** With fewer sources, the result says little about an unseen source. */
const minFoldSources = 3;

/**
 * Assigns each run to exactly one fold, deterministically. Sources stay whole; if there are more sources than folds,
 * the small ones share a fold.
 */
export function createFolds<Run extends { readonly id: string; readonly source: string }>(
  runs: readonly Run[],
): RunFolds<Run> {
  const bySource = Map.groupBy(runs, ({ source }) => source);
  const by = bySource.size >= minFoldSources ? 'source' : 'run';
  const parts = by === 'source' ? mergeSmallSources(bySource) : partitionRuns(runs);
  const folds = [...parts].map(([name, held]) => {
    const isHeld = new Set(held);
    return { name, held, rest: runs.filter((run) => !isHeld.has(run)) };
  });
  return { by, folds };
}

type RunGroups<Run> = ReadonlyMap<string, readonly Run[]>;

function mergeSmallSources<Run>(bySource: RunGroups<Run>): RunGroups<Run> {
  const sorted = [...bySource].toSorted(
    ([a, runs], [b, others]) => others.length - runs.length || compareText(a, b),
  );
  if (sorted.length <= maxFolds) return new Map(sorted.toSorted(([a], [b]) => compareText(a, b)));
  const large = sorted.slice(0, maxFolds - 1);
  const small = sorted.slice(maxFolds - 1);
  return new Map([...large, [`${small.length} more`, small.flatMap(([, runs]) => runs)]]);
}

const runPartitionCount = 5;

function partitionRuns<Run extends { readonly id: string }>(runs: readonly Run[]): RunGroups<Run> {
  const groups = Map.groupBy(runs, ({ id }) => hashTextToNumber(id) % runPartitionCount);
  const numbered = [...groups].toSorted(([a], [b]) => a - b);
  return new Map(numbered.map(([number, held]) => [`part ${number + 1}`, held]));
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
