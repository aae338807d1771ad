import { StoreError } from '@pawl/runtime';
import { getNextMillis } from 'bullmq';

/** Every so often, the first time at once; or by the clock, as `0 3 * * *` for three at night, in UTC unless told otherwise. */
export type When = { readonly everyMs: number } | { readonly cron: string; readonly tz?: string };

/** Throws if this cannot be the name of a schedule. */
export function checkName(name: string): void {
  if (/^[\w.-]{1,100}$/.test(name)) return;
  throw invalid('its name takes 1 to 100 letters, digits, dots, dashes and underscores');
}

const everyMinMs = 1_000;
const everyMaxMs = 366 * 86_400_000;

/** Throws if it means nothing, comes too often, or never comes. */
export function checkWhen(when: When): void {
  if ('everyMs' in when) {
    const { everyMs } = when;
    if (Number.isSafeInteger(everyMs) && everyMs >= everyMinMs && everyMs <= everyMaxMs) return;
    throw invalid('it repeats after a second at the earliest, and after a year at the latest');
  }
  const { cron, tz = 'UTC' } = when;
  if (!isTimeZone(tz))
    throw invalid(`there is no time zone ${JSON.stringify(tz)}: name one such as Europe/Zurich`);
  if (cron.trim().split(/\s+/).length !== 5 || cron.length > 200) {
    throw invalid(
      'a cron expression has five parts: minute, hour, day, month, day of the week, as in "0 3 * * *"',
    );
  }
  const problem = problemIn(cron, tz);
  if (problem !== null)
    throw invalid(`the cron expression ${JSON.stringify(cron)} means nothing: ${problem}`);
}

function problemIn(cron: string, tz: string): string | null {
  try {
    const next = getNextMillis(Date.now(), { pattern: cron, tz });
    return next === undefined ? 'it never comes' : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isTimeZone(tz: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: tz }).format(0) !== '';
  } catch {
    return false;
  }
}

function invalid(reason: string): StoreError {
  return new StoreError('invalid', 'a schedule', reason);
}
