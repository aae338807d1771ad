import { choose } from './choose.ts';
import { foldsOf, type Folds } from './folds.ts';
import type { Knob } from './knobs.ts';
import type { RunFacts } from './run-facts.ts';
import type { RuleThresholds } from './verdicts.ts';
import { sumWeights, weigh, type Weight } from './weigh.ts';

/** How thresholds chosen on all runs but those of a fold do on that fold. */
export type HeldOut = {
  readonly name: string;
  readonly runs: number;
  readonly chosen: RuleThresholds;
  readonly inForce: Weight;
  readonly learnt: Weight;
};

export type CrossValidation = {
  readonly by: Folds<RunFacts>['by'];
  readonly folds: readonly HeldOut[];
  /** The sums of all folds. */
  readonly inForce: Weight;
  readonly learnt: Weight;
};

/**
 * All of the choosing is done anew without the fold, so nothing of it has been seen by what is tried on it. Yields the name
 * of each fold before it is tried: whoever asks for the next one can as well stop.
 */
export function* crossValidating(
  runs: readonly RunFacts[],
  inForce: RuleThresholds,
  knobs: readonly Knob[],
): Generator<string, CrossValidation, undefined> {
  const { by, folds } = foldsOf(runs);
  const tried: HeldOut[] = [];
  for (const { name, held, rest } of folds) {
    yield name;
    const chosen = choose(rest, inForce, knobs);
    const weights = { inForce: weigh(held, inForce), learnt: weigh(held, chosen) };
    tried.push({ name, runs: held.length, chosen, ...weights });
  }
  return {
    by,
    folds: tried,
    inForce: sumWeights(tried.map((each) => each.inForce)),
    learnt: sumWeights(tried.map((each) => each.learnt)),
  };
}
