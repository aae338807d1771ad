import type { Level, Rule, Thresholds } from '@pawl/core';
import { ladder, type RuleThresholds } from './verdicts.ts';

/** One threshold that may be set to something else, and to what. */
export type Knob = {
  readonly rule: string;
  readonly level: Level;
  /** As it is. */
  readonly from: number;
  /** Whether it counts seconds. */
  readonly isTime: boolean;
  /** What is worth trying, the nearest first. */
  readonly values: readonly number[];
};

/**
 * What may be learnt. Where a rule ends the work or asks a person, only to do so earlier: those are the limits that keep a
 * run from going on for ever, and no past run can show that they are not needed. Advice is only a word, and may come
 * later as well where it disturbs runs that do well; but it still comes, and before anything graver.
 */
export function knobsOf(rules: readonly Rule[]): readonly Knob[] {
  return rules.flatMap(({ id, unit, thresholds }) => {
    const isTime = unit === 'seconds';
    const steps = isTime ? shares : null;
    return levels.flatMap((level): readonly Knob[] => {
      const from = thresholds[level] ?? null;
      if (from === null || from < 2) return [];
      const values = [...earlier(from, steps), ...(level === 'advise' ? later(from, thresholds, steps) : [])];
      return values.length === 0 ? [] : [{ rule: id, level, from, isTime, values }];
    });
  });
}

/** For each rule the smallest threshold that it has or may be given. */
export function leastOf(rules: readonly Rule[]): ReadonlyMap<string, number> {
  const knobs = Map.groupBy(knobsOf(rules), ({ rule }) => rule);
  return new Map(
    rules.map(({ id, thresholds }) => {
      const tried = (knobs.get(id) ?? []).flatMap(({ values }) => values);
      const given = Object.values(thresholds).flatMap((each) => each ?? []);
      return [id, Math.min(...tried, ...given)];
    }),
  );
}

/** Those that end the work first: what is saved there is saved for sure, and advice is weighed with them in place. */
const levels: readonly Level[] = ['finish', 'ask', 'advise'];

/** What is counted in seconds is not tried second by second. */
const shares: readonly number[] = [5 / 6, 2 / 3, 1 / 2];

function earlier(from: number, steps: readonly number[] | null): readonly number[] {
  if (steps !== null) return steps.map((share) => Math.round(from * share));
  const least = Math.max(2, Math.ceil(from / 2));
  return Array.from({ length: Math.max(0, from - least) }, (_, index) => from - 1 - index);
}

function later(from: number, thresholds: Thresholds, steps: readonly number[] | null): readonly number[] {
  const graver = [thresholds.refuse, thresholds.ask, thresholds.finish].flatMap((each) => each ?? []);
  const most = Math.min(Math.ceil(from * 1.5), ...graver.map((each) => each - 1));
  if (steps !== null) return most > from ? [most] : [];
  return Array.from({ length: Math.max(0, most - from) }, (_, index) => from + 1 + index);
}

/** With a threshold set; what is milder never comes later than what is graver. */
export function turned(
  all: RuleThresholds,
  { rule, level }: Pick<Knob, 'rule' | 'level'>,
  value: number,
): RuleThresholds {
  const before = all.get(rule);
  if (before === undefined) return all;
  const rung = ladder.indexOf(level);
  const graver = ladder.slice(rung + 1).flatMap((each) => before[each] ?? []);
  const set = Math.min(value, ...graver);
  const milder = ladder.slice(0, rung).flatMap((each) => {
    const given = before[each] ?? null;
    return given === null ? [] : [[each, Math.min(given, set)] as const];
  });
  return new Map([...all, [rule, { ...before, ...Object.fromEntries(milder), [level]: set }]]);
}

/** Whether nothing that refuses, asks or ends comes later than before, or not at all; and no advice is gone. */
export function isNoLooser(before: RuleThresholds, after: RuleThresholds): boolean {
  return [...before].every(([rule, was]) => {
    const is = after.get(rule);
    if (is === undefined) return false;
    const firm = [
      [was.refuse, is.refuse],
      [was.ask ?? null, is.ask ?? null],
      [was.finish, is.finish],
    ] as const;
    return (
      firm.every(([then, now]) => then === null || (now !== null && now <= then)) &&
      (was.advise === null || is.advise !== null)
    );
  });
}
