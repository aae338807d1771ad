import type { Summary } from './statistics.ts';
import { table } from './table.ts';

/** Nanoseconds by name, shown in microseconds. */
export function microTable(
  what: string,
  nanoseconds: readonly (Summary & { readonly name: string })[],
): string {
  return table(
    [what, 'µs', 'min..max'],
    nanoseconds.map(({ name, median, min, max }) => [name, micro(median), `${micro(min)}..${micro(max)}`]),
  );
}

function micro(nanoseconds: number): string {
  return (nanoseconds / 1_000).toFixed(2);
}
