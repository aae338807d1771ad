import type { Json } from '../json.ts';

const dayMs = 86_400_000;

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?)?\s?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Milliseconds since 1970, of a time as traces write it: an ISO date (without a zone it is taken as UTC), or a number of
 * seconds, milliseconds, microseconds or nanoseconds, told apart by their size.
 */
export function timeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return undefined;
  if (/^\d{9,19}(?:\.\d{1,9})?$/.test(value)) return fromNumber(Number(value));
  const match = iso.exec(value);
  return match === null ? undefined : fromParts(match);
}

function fromNumber(value: number): number | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined;
  if (value < 1e11) return Math.round(value * 1e3);
  if (value < 1e14) return Math.round(value);
  return Math.round(value < 1e17 ? value / 1e3 : value / 1e6);
}

function fromParts(match: RegExpExecArray): number | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = match;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return undefined;
  const clock = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const days = daysSince1970(Number(year), Number(month), Number(day));
  return days * dayMs + clock * 1_000 + Math.floor(Number(`0.${fraction}`) * 1_000) - zoneMs(zone);
}

/** Counted in years that begin in March, so that the leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}

function zoneMs(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
