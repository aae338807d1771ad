import { UsageError } from '../usage-error.ts';

/** A whole number of an option, from `min` on. */
export function wholeNumber(option: string, given: string, min: number): number {
  const number = /^\d{1,15}$/.test(given.trim()) ? Number(given) : Number.NaN;
  if (number >= min) return number;
  throw new UsageError(`${option} takes a whole number from ${min} on, and got ${JSON.stringify(given)}.`);
}

const units: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** A span of time such as `30d`, in milliseconds. */
export function spanOf(option: string, given: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(given.trim()) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * (units[unit] ?? 0);
  throw new UsageError(
    `${option} takes minutes, hours, days or weeks, such as 90m, 12h, 30d or 4w, and got ${JSON.stringify(given)}.`,
  );
}
