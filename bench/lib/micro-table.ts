import type { SampleSummary } from './statistics.ts';
import { formatBenchTable } from './table.ts';

/** Formats nanoseconds by name as a table in microseconds. */
export function formatMicroTable(
  what: string,
  nanoseconds: readonly (SampleSummary & { readonly name: string })[],
): string {
  return formatBenchTable(
    [what, 'µs', 'min..max'],
    nanoseconds.map(({ name, median, min, max }) => [
      name,
      formatMicroseconds(median),
      `${formatMicroseconds(min)}..${formatMicroseconds(max)}`,
    ]),
  );
}

function formatMicroseconds(nanoseconds: number): string {
  return (nanoseconds / 1_000).toFixed(2);
}
