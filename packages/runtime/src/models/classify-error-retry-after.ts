import type { ErrorFacts } from './classify-error-facts.ts';

/**
 * Returns how long the provider asks to wait before a retry, in milliseconds; undefined if it does not say or the value
 * is invalid. `at` is the current time for absolute dates, unless the response has a Date header.
 */
export function parseRetryDelay({ headers, searchText }: ErrorFacts, at: number): number | undefined {
  const now = parseHttpDate(headers.get('date')) ?? at;
  return (
    parseDelayMs(headers.get('retry-after-ms'), 1) ??
    parseDelayMs(headers.get('retry-after'), 1_000) ??
    computeDateDelay(headers.get('retry-after'), now) ??
    computeResetDelay(headers, now) ??
    findBodyDelay(searchText)
  );
}

function parseDelayMs(text: string | undefined, unit: number): number | undefined {
  if (text === undefined || !/^\s*\d{1,12}(?:\.\d{1,9})?\s*$/.test(text)) return undefined;
  return Math.ceil(Number(text) * unit);
}

function computeDateDelay(text: string | undefined, now: number): number | undefined {
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** Dates contain letters or colons; bare numbers have another meaning. */
function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/[a-z:]/i.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isFinite(date) ? date : undefined;
}

const resetHeader = /^(?:x-ratelimit-reset(?:-[a-z-]+)?|anthropic-ratelimit-[a-z-]+-reset)$/;

/** Returns the longest wait of all exhausted limits. A limit without a remaining count is treated as exhausted. */
function computeResetDelay(headers: ReadonlyMap<string, string>, now: number): number | undefined {
  const waits = [...headers]
    .filter(([name]) => resetHeader.test(name) && !hasRemainingQuota(headers, name))
    .flatMap(([, value]) => parseResetValue(value, now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function hasRemainingQuota(headers: ReadonlyMap<string, string>, reset: string): boolean {
  const remaining = headers.get(reset.replace('-reset', '-remaining'));
  return remaining !== undefined && Number(remaining) > 0;
}

/** Parses `6m0s`, `20ms`, a date, a number of seconds, or a Unix time in seconds or milliseconds. */
function parseResetValue(value: string, now: number): number | undefined {
  const span = parseRateLimitSpan(value);
  if (span !== undefined) return span;
  const count = parseDelayMs(value, 1);
  if (count === undefined) return computeDateDelay(value, now);
  if (count > 1e11) return Math.max(0, count - now);
  return count > 1e9 ? Math.max(0, count * 1_000 - now) : count * 1_000;
}

const spanUnits = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** Parses a duration such as `1h2m3.5s` or `20ms`. */
function parseRateLimitSpan(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|h|m|s)){1,4}$/.test(trimmed)) return undefined;
  const parts = trimmed.matchAll(/([\d.]+)(ms|h|m|s)/g);
  return Math.ceil([...parts].reduce((sum, [, count, unit]) => sum + Number(count) * getUnitMs(unit), 0));
}

function getUnitMs(unit: string | undefined): number {
  return unit === 'h' || unit === 'm' || unit === 's' || unit === 'ms' ? spanUnits[unit] : 0;
}

/** Google reports the delay in a field, OpenAI in a sentence. */
function findBodyDelay(text: string): number | undefined {
  const [, span] =
    /(?:"retrydelay":\s{0,9}"|try again in )(\d[\d.]{0,20}(?:ms|h|m|s)(?:[\d.]{1,20}s)?)/.exec(text) ?? [];
  return span === undefined ? undefined : parseRateLimitSpan(span);
}
