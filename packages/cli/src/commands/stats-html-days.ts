import type { DayStats } from './stats-days.ts';

/** Some days together, named by the first of them. */
export type DaySpan = Omit<DayStats, 'day'> & { readonly name: string };

/** No plot has room for more. */
const spansMax = 60;

const dayMs = 86_400_000;

/** Days in a row, those without anything included; several together where they are too many to be told apart. */
export function daySpans(days: readonly DayStats[]): readonly DaySpan[] {
  const numbered = days.flatMap((each) => {
    const number = Date.parse(`${each.day}T00:00:00Z`) / dayMs;
    return Number.isInteger(number) ? [{ ...each, number }] : [];
  });
  const numbers = numbered.map(({ number }) => number);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length === 0) return [];
  const length =
    lengths.find((each) => (last - first + 1) / each <= spansMax) ?? (last - first + 1) / spansMax;
  const groups = Map.groupBy(numbered, ({ number }) => Math.floor((number - first) / length));
  return Array.from({ length: Math.floor((last - first) / length) + 1 }, (_, index) =>
    spanOf(nameOf(first + index * length), groups.get(index) ?? []),
  );
}

/** A day, a week, four weeks, a quarter, a year. */
const lengths = [1, 7, 28, 91, 364];

function nameOf(number: number): string {
  return new Date(Math.floor(number) * dayMs).toISOString().slice(0, 10);
}

function spanOf(name: string, days: readonly DayStats[]): DaySpan {
  const sum = (key: Exclude<keyof DayStats, 'day'>): number =>
    days.reduce((total, each) => total + each[key], 0);
  return {
    name,
    sessions: sum('sessions'),
    answered: sum('answered'),
    stuck: sum('stuck'),
    steps: sum('steps'),
    effective: sum('effective'),
    tokens: sum('tokens'),
    loopTokens: sum('loopTokens'),
    right: sum('right'),
    wrong: sum('wrong'),
  };
}
