import { foldsOf, type Fold } from './folds.ts';
import { turned, type Knob } from './knobs.ts';
import { areEnough, nearMissesOf } from './near-misses.ts';
import type { RunFacts } from './run-facts.ts';
import type { RuleThresholds } from './verdicts.ts';
import { compareGains, harmsMore, scaleFor, sumWeights, touchedBy, worseIn, type Weight } from './weigh.ts';

/**
 * The thresholds that do better on these runs. One is set at a time, and only if that holds on runs it was not chosen on:
 * for each fold it is chosen on the others and tried on that one, and on no measure may the sum of all be worse.
 */
export function choose(
  runs: readonly RunFacts[],
  inForce: RuleThresholds,
  knobs: readonly Knob[],
): RuleThresholds {
  const { folds } = foldsOf(runs);
  let base = inForce;
  for (const knob of knobs) {
    const value = bestOf(runs, base, knob);
    if (value !== null && holds(folds, base, knob)) base = turned(base, knob, value);
  }
  return base;
}

/**
 * The value that gains most on these runs without being worse on any measure, nor harming more in any source; or null.
 * What comes earlier than now also has to be shown to be far enough from where solved runs go.
 */
function bestOf(runs: readonly RunFacts[], base: RuleThresholds, knob: Knob): number | null {
  const scale = scaleFor(runs, base, knob.rule);
  const touched = touchedBy(runs, knob.rule);
  const sources = new Set(runs.map(({ source }) => source)).size;
  const values = knob.values.filter(
    (value) => value > knob.from || areEnough(nearMissesOf(touched, knob, value), sources),
  );
  let best: { readonly value: number; readonly weight: Weight } | null = null;
  for (const value of values) {
    const weight = scale.weigh(turned(base, knob, value));
    if (worseIn(weight, scale.base).length > 0 || harmsMore(weight, scale.base)) continue;
    if (compareGains(weight, best?.weight ?? scale.base) > 0) best = { value, weight };
  }
  return best?.value ?? null;
}

function holds(folds: readonly Fold<RunFacts>[], base: RuleThresholds, knob: Knob): boolean {
  const tried = folds.map(({ held, rest }) => {
    const value = bestOf(rest, base, knob);
    const scale = scaleFor(held, base, knob.rule);
    return {
      before: scale.base,
      after: value === null ? scale.base : scale.weigh(turned(base, knob, value)),
    };
  });
  const before = sumWeights(tried.map((each) => each.before));
  const after = sumWeights(tried.map((each) => each.after));
  return worseIn(after, before).length === 0 && !harmsMore(after, before) && compareGains(after, before) > 0;
}
