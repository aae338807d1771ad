import { UsageError } from '../usage-error.ts';

/** Parses an integer option. */
export function parseWholeNumberOption(
  option: string,
  value: string,
  min: number,
  max: number | null = null,
): number {
  const number = parseNumber(value);
  if (Number.isSafeInteger(number) && number >= min && number <= (max ?? number)) return number;
  const range = max === null ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`${option} must be a whole number ${range}, got ${JSON.stringify(value)}.`);
}

/** Parses a port option; 0 selects any free port. */
export function parsePortOption(option: string, value: string): number {
  return parseWholeNumberOption(option, value, 0, 65_535);
}

/** Parses a non-negative decimal option, such as a price. */
export function parseDecimalOption(option: string, value: string): number {
  const number = parseNumber(value);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(
    `${option} must be a number of at least 0, such as 2.5, got ${JSON.stringify(value)}.`,
  );
}

function parseNumber(value: string): number {
  return value.trim() === '' ? Number.NaN : Number(value);
}

/** Time units in milliseconds. */
export const timeUnitsMs = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
} as const;

const longTimeUnitsMs = { ...timeUnitsMs, w: 7 * timeUnitsMs.d } as const;

/** Parses a duration option such as `30d` to milliseconds. */
export function parseTimeSpanOption(option: string, value: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(value.trim()) ?? [];
  if (count !== undefined) return Number(count) * longTimeUnitsMs[unit as 'm' | 'h' | 'd' | 'w'];
  throw new UsageError(
    `${option} must be a time span such as 90m, 12h, 30d or 4w, got ${JSON.stringify(value)}.`,
  );
}

/** Formats a duration in the largest unit that needs no fraction. */
export function formatTimeSpan(ms: number): string {
  const [unit, length] = Object.entries(timeUnitsMs).findLast(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / length}${unit}`;
}
