import { spread } from './statistics.ts';

/** A part of the runs that is held out while the rest is learnt from. */
export type Fold<Run> = {
  readonly name: string;
  readonly held: readonly Run[];
  readonly rest: readonly Run[];
};

export type Folds<Run> = {
  /** By where the runs come from, so that what is learnt is tried on a source it has not seen; or by run. */
  readonly by: 'source' | 'run';
  readonly folds: readonly Fold<Run>[];
};

/** More folds than this take longer and tell no more. */
export const foldsMax = 10;

/** Fewer sources than this say little about one that has not been seen. */
const sourcesMin = 3;

/**
 * Divides runs up, each into exactly one fold and always in the same way. Sources stay whole; where there are more of them
 * than folds, the small ones share.
 */
export function foldsOf<Run extends { readonly id: string; readonly source: string }>(
  runs: readonly Run[],
): Folds<Run> {
  const bySource = Map.groupBy(runs, ({ source }) => source);
  const by = bySource.size >= sourcesMin ? 'source' : 'run';
  const parts = by === 'source' ? joined(bySource) : byRun(runs);
  const folds = [...parts].map(([name, held]) => {
    const isHeld = new Set(held);
    return { name, held, rest: runs.filter((run) => !isHeld.has(run)) };
  });
  return { by, folds };
}

type Parts<Run> = ReadonlyMap<string, readonly Run[]>;

function joined<Run>(bySource: Parts<Run>): Parts<Run> {
  const sorted = [...bySource].toSorted(
    ([a, runs], [b, others]) => others.length - runs.length || order(a, b),
  );
  if (sorted.length <= foldsMax) return new Map(sorted.toSorted(([a], [b]) => order(a, b)));
  const large = sorted.slice(0, foldsMax - 1);
  const small = sorted.slice(foldsMax - 1);
  return new Map([...large, [`${small.length} more`, small.flatMap(([, runs]) => runs)]]);
}

const partsByRun = 5;

function byRun<Run extends { readonly id: string }>(runs: readonly Run[]): Parts<Run> {
  const groups = Map.groupBy(runs, ({ id }) => spread(id) % partsByRun);
  const numbered = [...groups].toSorted(([a], [b]) => a - b);
  return new Map(numbered.map(([number, held]) => [`part ${number + 1}`, held]));
}

function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
