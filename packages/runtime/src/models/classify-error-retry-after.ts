import type { ErrorFacts } from './classify-error-facts.ts';

/**
 * How long the provider asks to wait before the next try, in milliseconds; undefined when it does not say or says nonsense.
 * `at` is now, for times of day; where the answer carries the provider's own time, that counts instead.
 */
export function retryAfterOf({ headers, words }: ErrorFacts, at: number): number | undefined {
  const now = dateOf(headers.get('date')) ?? at;
  return (
    milliseconds(headers.get('retry-after-ms'), 1) ??
    milliseconds(headers.get('retry-after'), 1_000) ??
    untilDate(headers.get('retry-after'), now) ??
    untilReset(headers, now) ??
    inBody(words)
  );
}

function milliseconds(text: string | undefined, unit: number): number | undefined {
  if (text === undefined || !/^\s*\d{1,12}(?:\.\d{1,9})?\s*$/.test(text)) return undefined;
  return Math.ceil(Number(text) * unit);
}

function untilDate(text: string | undefined, now: number): number | undefined {
  const date = dateOf(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** Times of day have letters or colons in them; bare numbers mean something else. */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !/[a-z:]/i.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isFinite(date) ? date : undefined;
}

const resetHeader = /^(?:x-ratelimit-reset(?:-[a-z-]+)?|anthropic-ratelimit-[a-z-]+-reset)$/;

/** Of the limits that are used up, the one that takes longest. A limit that does not say how much is left counts too. */
function untilReset(headers: ReadonlyMap<string, string>, now: number): number | undefined {
  const waits = [...headers]
    .filter(([name]) => resetHeader.test(name) && !hasSomeLeft(headers, name))
    .flatMap(([, value]) => resetIn(value, now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function hasSomeLeft(headers: ReadonlyMap<string, string>, reset: string): boolean {
  const left = headers.get(reset.replace('-reset', '-remaining'));
  return left !== undefined && Number(left) > 0;
}

/** `6m0s`, `20ms`, a date, a number of seconds, or the second or millisecond since 1970 at which it will be over. */
function resetIn(value: string, now: number): number | undefined {
  const span = spanOf(value);
  if (span !== undefined) return span;
  const count = milliseconds(value, 1);
  if (count === undefined) return untilDate(value, now);
  if (count > 1e11) return Math.max(0, count - now);
  return count > 1e9 ? Math.max(0, count * 1_000 - now) : count * 1_000;
}

const spanUnits = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** A span of time as `1h2m3.5s` or `20ms`. */
function spanOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|h|m|s)){1,4}$/.test(trimmed)) return undefined;
  const parts = trimmed.matchAll(/([\d.]+)(ms|h|m|s)/g);
  return Math.ceil([...parts].reduce((sum, [, count, unit]) => sum + Number(count) * unitOf(unit), 0));
}

function unitOf(unit: string | undefined): number {
  return unit === 'h' || unit === 'm' || unit === 's' || unit === 'ms' ? spanUnits[unit] : 0;
}

/** Google has a field for it, OpenAI a sentence. */
function inBody(words: string): number | undefined {
  const [, span] =
    /(?:"retrydelay":\s{0,9}"|try again in )(\d[\d.]{0,20}(?:ms|h|m|s)(?:[\d.]{1,20}s)?)/.exec(words) ?? [];
  return span === undefined ? undefined : spanOf(span);
}
