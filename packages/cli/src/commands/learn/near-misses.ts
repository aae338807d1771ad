import type { TunableThreshold } from './tunable-thresholds.ts';
import type { TrainingFacts } from './training-run.ts';

/** Solved runs that almost reached a threshold and recovered on their own. */
export type NearMissCount = { readonly runs: number; readonly sources: number };

/**
 * Counts solved runs that came close to a threshold. That no solved run reached it may be luck or an artifact of the
 * sources; only many near misses from several sources show that a lower threshold is safe.
 */
export function countNearMisses(
  runs: readonly TrainingFacts[],
  { rule, isTime }: Pick<TunableThreshold, 'rule' | 'isTime'>,
  value: number,
): NearMissCount {
  const nearValue = isTime ? Math.floor(value * 0.8) : value - 1;
  const nearRuns = runs.filter(
    ({ success, counts }) =>
      success === true && counts.some((each) => each.rule === rule && each.count >= nearValue),
  );
  return { runs: nearRuns.length, sources: new Set(nearRuns.map(({ source }) => source)).size };
}

const minNearMissRuns = 10;
const minNearMissSources = 3;

/** If there are fewer sources than required, all of them suffice. */
export function hasEnoughNearMisses({ runs, sources }: NearMissCount, sourceCount: number): boolean {
  return runs >= minNearMissRuns && sources >= Math.min(minNearMissSources, sourceCount);
}
