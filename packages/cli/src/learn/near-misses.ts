import type { Knob } from './knobs.ts';
import type { RunFacts } from './run-facts.ts';

/** Solved runs that came as near to a threshold as can be, and turned round by themselves. */
export type NearMisses = { readonly runs: number; readonly sources: number };

/**
 * Where nobody ever came near, nothing is known of what would have happened there: that no solved run went so far may be
 * luck, or the manner of the sources at hand. What shows that a threshold can come earlier are solved runs that came to
 * the very step before it, many of them and of several sources, of which none went on.
 */
export function nearMissesOf(
  runs: readonly RunFacts[],
  { rule, isTime }: Pick<Knob, 'rule' | 'isTime'>,
  value: number,
): NearMisses {
  const near = isTime ? Math.floor(value * 0.8) : value - 1;
  const missed = runs.filter(
    ({ success, counts }) =>
      success === true && counts.some((each) => each.rule === rule && each.count >= near),
  );
  return { runs: missed.length, sources: new Set(missed.map(({ source }) => source)).size };
}

const runsMin = 10;
const sourcesMin = 3;

/** Of fewer sources than are asked for, all of them will do. */
export function areEnough({ runs, sources }: NearMisses, sourcesThere: number): boolean {
  return runs >= runsMin && sources >= Math.min(sourcesMin, sourcesThere);
}
