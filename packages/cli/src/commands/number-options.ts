import { UsageError } from '../usage-error.ts';

/** Parses an integer option. */
export function parseWholeNumberOption(
  option: string,
  given: string,
  min: number,
  max: number | null = null,
): number {
  const number = parseNumber(given);
  if (Number.isSafeInteger(number) && number >= min && number <= (max ?? number)) return number;
  const range = max === null ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`${option} takes a whole number ${range}, and got ${JSON.stringify(given)}.`);
}

/** Parses a port option; 0 selects any free port. */
export function parsePortOption(option: string, given: string): number {
  return parseWholeNumberOption(option, given, 0, 65_535);
}

/** Parses a non-negative decimal option, such as a price. */
export function parseDecimalOption(option: string, given: string): number {
  const number = parseNumber(given);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(
    `${option} takes a number of 0 or more, such as 2.5, and got ${JSON.stringify(given)}.`,
  );
}

function parseNumber(given: string): number {
  return given.trim() === '' ? Number.NaN : Number(given);
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
export function parseTimeSpanOption(option: string, given: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(given.trim()) ?? [];
  if (count !== undefined) return Number(count) * longTimeUnitsMs[unit as 'm' | 'h' | 'd' | 'w'];
  throw new UsageError(
    `${option} takes minutes, hours, days or weeks, such as 90m, 12h, 30d or 4w, and got ${JSON.stringify(given)}.`,
  );
}
