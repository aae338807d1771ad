import { audit, pawlRules, type Rule, type Thresholds } from '@pawl/core';
import { only, sourceOf, sourcesOf, type Data } from './runs.ts';
import { score, type Detector, type Score } from './score.ts';

/** Thresholds worth trying for the rules that can end a run. */
const grid: Record<string, readonly number[]> = {
  'repeated-failure': [3, 4, 5],
  'repeated-call': [3, 4, 5],
  'error-streak': [4, 5, 6, 7, 8],
  'round-and-round': [4, 5, 6, 8],
  'stale-errors': [5, 6, 8],
  'nothing-works': [6, 8, 10],
};

function governor(name: string, rules: readonly Rule[]): Detector {
  return { name, verdicts: (run) => audit(run, rules) };
}

/**
 * Fits the thresholds on all sources but one and scores on that one, for each source in turn: what a rule is worth on
 * runs it was not fitted to. Fitting takes, rule by rule, the threshold that saves most without ending a solved run.
 */
export function leaveOneOut(data: Data): readonly {
  readonly source: string;
  readonly fitted: Score;
  readonly shipped: Score;
  readonly ends: string;
}[] {
  return sourcesOf(data).map((source) => {
    const held = only(data, (run) => sourceOf(run) === source);
    const rules = fit(only(data, (run) => sourceOf(run) !== source));
    return {
      source,
      fitted: score(held, governor('fitted', rules)),
      shipped: score(held, governor('shipped', pawlRules)),
      ends: rules
        .flatMap(({ thresholds }) => (thresholds.finish === null ? [] : [thresholds.finish]))
        .join(' '),
    };
  });
}

function fit(data: Data): readonly Rule[] {
  let rules: readonly Rule[] = pawlRules;
  for (const [id, values] of Object.entries(grid)) {
    const tries = values.map((finish) => {
      const changed = rules.map((rule) => (rule.id === id ? withFinish(rule, finish) : rule));
      return { changed, result: score(data, governor('try', changed)) };
    });
    const harmless = tries.filter(({ result }) => (result.harm ?? 0) === 0);
    const best = harmless.toSorted((a, b) => (b.result.saved ?? 0) - (a.result.saved ?? 0))[0];
    if (best !== undefined) rules = best.changed;
  }
  return rules;
}

function withFinish(rule: Rule, finish: number): Rule {
  const { advise, refuse } = rule.thresholds;
  const thresholds: Thresholds = {
    advise: advise === null ? null : Math.min(advise, finish),
    refuse: refuse === null ? null : Math.min(refuse, finish),
    finish,
  };
  return { ...rule, thresholds };
}
