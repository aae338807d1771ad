import { StoreError } from '@pawl/runtime/store';
import { getNextMillis } from 'bullmq';

/** Either an interval, with the first run at once, or a cron expression such as `0 3 * * *`, in UTC by default. */
export type ScheduleTiming = { readonly everyMs: number } | { readonly cron: string; readonly tz?: string };

/** Throws if this is not a valid schedule name. */
export function checkScheduleName(name: string): void {
  if (/^[\w.-]{1,100}$/.test(name)) return;
  throw createScheduleError('its name must have 1 to 100 letters, digits, dots, dashes or underscores');
}

const everyMinMs = 1_000;
const everyMaxMs = 366 * 86_400_000;

/** Throws if the timing is invalid, too frequent, or never fires. */
export function checkScheduleTiming(timing: ScheduleTiming): void {
  if ('everyMs' in timing) {
    const { everyMs } = timing;
    if (Number.isSafeInteger(everyMs) && everyMs >= everyMinMs && everyMs <= everyMaxMs) return;
    throw createScheduleError('its interval must be between one second and one year');
  }
  const { cron, tz = 'UTC' } = timing;
  if (!isTimeZone(tz))
    throw createScheduleError(`there is no time zone ${JSON.stringify(tz)}: name one such as Europe/Zurich`);
  if (cron.trim().split(/\s+/).length !== 5 || cron.length > 200) {
    throw createScheduleError(
      'a cron expression has five parts: minute, hour, day, month, day of the week, as in "0 3 * * *"',
    );
  }
  const problem = findCronProblem(cron, tz);
  if (problem !== null)
    throw createScheduleError(`the cron expression ${JSON.stringify(cron)} is invalid: ${problem}`);
}

function findCronProblem(cron: string, tz: string): string | null {
  try {
    const next = getNextMillis(Date.now(), { pattern: cron, tz });
    return next === undefined ? 'it never fires' : null;
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

function createScheduleError(reason: string): StoreError {
  return new StoreError('invalid', 'a schedule', reason);
}
