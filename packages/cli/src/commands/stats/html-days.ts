import type { DayStats } from './days.ts';

/** One or more days, named after the first. */
export type DaySpan = Omit<DayStats, 'day'> & { readonly name: string };

/** Maximum number of spans that fit in a plot. */
const maxDaySpans = 60;

const millisecondsPerDay = 86_400_000;

/** Lists consecutive days, including those without activity, grouped into longer spans if there are too many. */
export function groupDaySpans(days: readonly DayStats[]): readonly DaySpan[] {
  const numbered = days.flatMap((each) => {
    const number = Date.parse(`${each.day}T00:00:00Z`) / millisecondsPerDay;
    return Number.isInteger(number) ? [{ ...each, number }] : [];
  });
  const numbers = numbered.map(({ number }) => number);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length === 0) return [];
  const length =
    spanLengthsInDays.find((each) => (last - first + 1) / each <= maxDaySpans) ??
    (last - first + 1) / maxDaySpans;
  const groups = Map.groupBy(numbered, ({ number }) => Math.floor((number - first) / length));
  return Array.from({ length: Math.floor((last - first) / length) + 1 }, (_, index) =>
    sumDaySpan(formatDayNumber(first + index * length), groups.get(index) ?? []),
  );
}

/** A day, a week, four weeks, a quarter, a year. */
const spanLengthsInDays = [1, 7, 28, 91, 364];

function formatDayNumber(number: number): string {
  return new Date(Math.floor(number) * millisecondsPerDay).toISOString().slice(0, 10);
}

function sumDaySpan(name: string, days: readonly DayStats[]): DaySpan {
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
