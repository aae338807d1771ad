import type { SampleSummary } from './statistics.ts';

/** Formats three significant digits; more would be noise. */
export function formatSignificant(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

export function formatSpread({ min, max }: SampleSummary): string {
  return `${formatSignificant(min)}..${formatSignificant(max)}`;
}
