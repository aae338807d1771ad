import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';

/** Names of tenants and of schedules are part of the names of keys. */
export function checkTenant(option: string, given: string): void {
  if (/^[\w.-]{1,100}$/.test(given)) return;
  throw new UsageError(
    `${option} takes 1 to 100 letters, digits, dots, dashes and underscores, and got ${JSON.stringify(visibleLine(given.slice(0, 100)))}.`,
  );
}
