import type { Json } from '../json.ts';

const dayMilliseconds = 86_400_000;

const isoTimePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?)?\s?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Parses a time to milliseconds since 1970: an ISO date (UTC without a zone), or a number of seconds, milliseconds,
 * microseconds or nanoseconds, distinguished by magnitude.
 */
export function parseTraceTime(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return fromEpochNumber(value);
  if (typeof value !== 'string') return undefined;
  if (/^\d{9,19}(?:\.\d{1,9})?$/.test(value)) return fromEpochNumber(Number(value));
  const match = isoTimePattern.exec(value);
  return match === null ? undefined : fromIsoMatch(match);
}

function fromEpochNumber(value: number): number | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined;
  if (value < 1e11) return Math.round(value * 1e3);
  if (value < 1e14) return Math.round(value);
  return Math.round(value < 1e17 ? value / 1e3 : value / 1e6);
}

function fromIsoMatch(match: RegExpExecArray): number | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = match;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return undefined;
  const clock = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const days = countDaysSinceEpoch(Number(year), Number(month), Number(day));
  return (
    days * dayMilliseconds +
    clock * 1_000 +
    Math.floor(Number(`0.${fraction}`) * 1_000) -
    parseZoneOffset(zone)
  );
}

/** Years start in March, so that the leap day is the last day of its year. */
function countDaysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}

function parseZoneOffset(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
