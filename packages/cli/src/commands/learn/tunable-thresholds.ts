import type { RuleSeverity } from '@pawl/core';
import type { Rule, RuleThresholds } from '@pawl/governor';
import { severityLadder, type RuleThresholdMap } from './rule-counts.ts';

/** A threshold that may be changed, with the candidate values. */
export type TunableThreshold = {
  readonly rule: string;
  readonly severity: RuleSeverity;
  /** The current value. */
  readonly from: number;
  /** Whether the unit is seconds. */
  readonly isTime: boolean;
  /** Candidate values, nearest first. */
  readonly values: readonly number[];
};

/**
 * Lists the thresholds that may be learned. Those that end the work or ask a person may only be lowered, because they
 * guarantee that a run ends, and no past run can show that they are unnecessary. Advice may also be raised if it
 * disturbs successful runs, but it stays below every more severe threshold.
 */
export function listTunableThresholds(rules: readonly Rule[]): readonly TunableThreshold[] {
  return rules.flatMap(({ id, unit, thresholds }) => {
    const isTime = unit === 'seconds';
    const steps = isTime ? timeFractions : null;
    return tunedSeverities.flatMap((severity): readonly TunableThreshold[] => {
      const from = thresholds[severity] ?? null;
      if (from === null || from < 2) return [];
      const values = [
        ...listEarlierValues(from, steps),
        ...(severity === 'advise' ? listLaterValues(from, thresholds, steps) : []),
      ];
      return values.length === 0 ? [] : [{ rule: id, severity, from, isTime, values }];
    });
  });
}

/** Returns the smallest current or candidate threshold of each rule. */
export function computeMinThresholds(rules: readonly Rule[]): ReadonlyMap<string, number> {
  const tunables = Map.groupBy(listTunableThresholds(rules), ({ rule }) => rule);
  return new Map(
    rules.map(({ id, thresholds }) => {
      const candidates = (tunables.get(id) ?? []).flatMap(({ values }) => values);
      const current = Object.values(thresholds).flatMap((each) => each ?? []);
      return [id, Math.min(...candidates, ...current)];
    }),
  );
}

/** Ending severities first: their savings are certain, and advice is then scored with them in place. */
const tunedSeverities: readonly RuleSeverity[] = ['stop', 'ask', 'advise'];

/** Thresholds in seconds are tried as fractions, not second by second. */
const timeFractions: readonly number[] = [5 / 6, 2 / 3, 1 / 2];

function listEarlierValues(from: number, steps: readonly number[] | null): readonly number[] {
  if (steps !== null) return steps.map((share) => Math.round(from * share));
  const min = Math.max(2, Math.ceil(from / 2));
  return Array.from({ length: Math.max(0, from - min) }, (_, index) => from - 1 - index);
}

function listLaterValues(
  from: number,
  thresholds: RuleThresholds,
  steps: readonly number[] | null,
): readonly number[] {
  const stricter = [thresholds.block, thresholds.ask, thresholds.stop].flatMap((each) => each ?? []);
  const max = Math.min(Math.ceil(from * 1.5), ...stricter.map((each) => each - 1));
  if (steps !== null) return max > from ? [max] : [];
  return Array.from({ length: Math.max(0, max - from) }, (_, index) => from + 1 + index);
}

/** Sets a threshold; a milder severity never has a higher threshold than a more severe one. */
export function setThreshold(
  all: RuleThresholdMap,
  { rule, severity }: Pick<TunableThreshold, 'rule' | 'severity'>,
  value: number,
): RuleThresholdMap {
  const before = all.get(rule);
  if (before === undefined) return all;
  const index = severityLadder.indexOf(severity);
  const stricter = severityLadder.slice(index + 1).flatMap((each) => before[each] ?? []);
  const capped = Math.min(value, ...stricter);
  const milder = severityLadder.slice(0, index).flatMap((each) => {
    const current = before[each] ?? null;
    return current === null ? [] : [[each, Math.min(current, capped)] as const];
  });
  return new Map([...all, [rule, { ...before, ...Object.fromEntries(milder), [severity]: capped }]]);
}

/** Returns whether no block, ask or stop threshold was raised or removed, and no advice removed. */
export function isAtLeastAsStrict(before: RuleThresholdMap, after: RuleThresholdMap): boolean {
  return [...before].every(([rule, was]) => {
    const is = after.get(rule);
    if (is === undefined) return false;
    const strictPairs = [
      [was.block, is.block],
      [was.ask ?? null, is.ask ?? null],
      [was.stop, is.stop],
    ] as const;
    return (
      strictPairs.every(([then, now]) => then === null || (now !== null && now <= then)) &&
      (was.advise === null || is.advise !== null)
    );
  });
}
