/**
 * Lists consecutive days, including those without data, grouped into longer spans if there are too many for a plot.
 * `sum` combines the days of a span, which is named after its first day.
 */
export function groupDaySpans<Day extends { readonly day: string }, Span>(
  days: readonly Day[],
  sum: (name: string, days: readonly Day[]) => Span,
): readonly Span[] {
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
    sum(formatDayNumber(first + index * length), groups.get(index) ?? []),
  );
}

/** A day, a week, four weeks, a quarter, a year. */
const spanLengthsInDays = [1, 7, 28, 91, 364];

function formatDayNumber(number: number): string {
  return new Date(Math.floor(number) * millisecondsPerDay).toISOString().slice(0, 10);
}

/** Maximum number of spans that fit in a plot. */
const maxDaySpans = 60;

const millisecondsPerDay = 86_400_000;
