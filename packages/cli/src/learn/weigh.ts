import type { RunFacts } from './run-facts.ts';
import { columns, sharesOf, type Share } from './score.ts';
import { verdictsOn, type RuleThresholds } from './verdicts.ts';

/** The columns of the score, and one of our own: unsolved runs that got any verdict at all. */
export const measures = [...columns, 'warned'] as const;
export type Measure = (typeof measures)[number];

/** What thresholds come to on some runs. */
export type Weight = {
  readonly shares: Readonly<Record<Measure, Share>>;
  /** Solved runs that would be ended, by source. */
  readonly harmIn: ReadonlyMap<string, number>;
};

export function weigh(runs: readonly RunFacts[], thresholds: RuleThresholds): Weight {
  const sum = nothing();
  for (const run of runs) add(sum, weightOf(run, thresholds), 1);
  return sum;
}

export function sumWeights(all: readonly Weight[]): Weight {
  const sum = nothing();
  for (const each of all) add(sum, each, 1);
  return sum;
}

/** For weighing often with only one rule changed: what the runs come to that the rule has nothing to do with stays. */
export function scaleFor(runs: readonly RunFacts[], base: RuleThresholds, rule: string): Scale {
  const touched = touchedBy(runs, rule);
  const whole = remembered(
    remembered(wholes, runs, () => new WeakMap()),
    base,
    () => weigh(runs, base),
  );
  const rest = nothing();
  add(rest, whole, 1);
  add(rest, weigh(touched, base), -1);
  return { base: whole, weigh: (thresholds) => sumWeights([rest, weigh(touched, thresholds)]) };
}

/** The runs in which a rule has counted at all. */
export function touchedBy(runs: readonly RunFacts[], rule: string): readonly RunFacts[] {
  const byRule = remembered(indexes, runs, () => new Map<string, RunFacts[]>());
  if (byRule.size === 0) {
    for (const run of runs) {
      for (const each of new Set(run.counts.map((count) => count.rule))) {
        const list = byRule.get(each) ?? [];
        list.push(run);
        byRule.set(each, list);
      }
    }
  }
  return byRule.get(rule) ?? [];
}

/* What was worked out for a list of runs, for as long as somebody has that list: the same is asked for with every threshold. */
const wholes = new WeakMap<readonly RunFacts[], WeakMap<RuleThresholds, Weight>>();
const indexes = new WeakMap<readonly RunFacts[], Map<string, RunFacts[]>>();

function remembered<Key extends object, Value>(
  cache: WeakMap<Key, Value>,
  key: Key,
  make: () => Value,
): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}

export type Scale = {
  readonly base: Weight;
  /** Of thresholds that differ from the base in this rule alone. */
  readonly weigh: (thresholds: RuleThresholds) => Weight;
};

/** More of these is worse; of the others, less is. */
const costs: ReadonlySet<Measure> = new Set(['harm', 'noise', 'wrong']);

/** The measures in which one is worse than the other, on the same runs. */
export function worseIn(weight: Weight, base: Weight): readonly Measure[] {
  return measures.filter((measure) => gainIn(measure, weight, base) < 0);
}

/** Also where it is no worse on the whole, it may be in one source. */
export function harmsMore(weight: Weight, base: Weight): boolean {
  return [...weight.harmIn].some(([source, harm]) => harm > (base.harmIn.get(source) ?? 0));
}

/** What comes first counts first: steps saved, then runs left in peace, then runs warned. */
export function compareGains(a: Weight, b: Weight): number {
  for (const measure of ['saved', 'noise', 'warned'] as const) {
    const gain = gainIn(measure, a, b);
    if (gain !== 0) return gain;
  }
  return 0;
}

function gainIn(measure: Measure, weight: Weight, base: Weight): number {
  const more = weight.shares[measure].hits - base.shares[measure].hits;
  return costs.has(measure) ? -more : more;
}

type Sum = {
  readonly shares: Readonly<Record<Measure, { hits: number; of: number }>>;
  readonly harmIn: Map<string, number>;
};

function nothing(): Sum {
  const shares = measures.map((measure) => [measure, { hits: 0, of: 0 }]);
  return { shares: Object.fromEntries(shares) as Sum['shares'], harmIn: new Map() };
}

function add({ shares, harmIn }: Sum, weight: Weight, sign: 1 | -1): void {
  for (const measure of measures) {
    shares[measure].hits += sign * weight.shares[measure].hits;
    shares[measure].of += sign * weight.shares[measure].of;
  }
  for (const [source, harm] of weight.harmIn) harmIn.set(source, (harmIn.get(source) ?? 0) + sign * harm);
}

function weightOf(run: RunFacts, thresholds: RuleThresholds): Weight {
  const told = verdictsOn(run.counts, thresholds);
  const shares = sharesOf(run, told);
  const isUnsolved = run.success === false;
  const warned = { hits: isUnsolved && told.length > 0 ? 1 : 0, of: isUnsolved ? 1 : 0 };
  const { hits } = shares.harm;
  return { shares: { ...shares, warned }, harmIn: hits === 0 ? unharmed : new Map([[run.source, hits]]) };
}

const unharmed: ReadonlyMap<string, number> = new Map();
