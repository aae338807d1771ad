import { UsageError } from '../usage-error.ts';

/** The whole number given to an option. */
export function wholeNumber(option: string, given: string, min: number, max: number | null = null): number {
  const number = parsed(given);
  if (Number.isSafeInteger(number) && number >= min && number <= (max ?? number)) return number;
  const range = max === null ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`${option} takes a whole number ${range}, and got ${JSON.stringify(given)}.`);
}

/** The port given to an option; 0 stands for any that is free. */
export function portNumber(option: string, given: string): number {
  return wholeNumber(option, given, 0, 65_535);
}

/** The number given to an option, such as a price: 0 or more. */
export function decimalNumber(option: string, given: string): number {
  const number = parsed(given);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(
    `${option} takes a number of 0 or more, such as 2.5, and got ${JSON.stringify(given)}.`,
  );
}

function parsed(given: string): number {
  return given.trim() === '' ? Number.NaN : Number(given);
}

/** The units that spans of time are given in, in milliseconds. */
export const timeUnits = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
} as const;

const longUnits = { ...timeUnits, w: 7 * timeUnits.d } as const;

/** The span of time given to an option, such as `30d`, in milliseconds. */
export function spanOf(option: string, given: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(given.trim()) ?? [];
  if (count !== undefined) return Number(count) * longUnits[unit as 'm' | 'h' | 'd' | 'w'];
  throw new UsageError(
    `${option} takes minutes, hours, days or weeks, such as 90m, 12h, 30d or 4w, and got ${JSON.stringify(given)}.`,
  );
}
