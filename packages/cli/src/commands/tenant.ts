import { UsageError } from '../usage-error.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';

/** Tenant and schedule names are part of Redis key names. */
export function requireTenantName(option: string, given: string): void {
  if (/^[\w.-]{1,100}$/.test(given)) return;
  throw new UsageError(
    `${option} takes 1 to 100 letters, digits, dots, dashes and underscores, and got ${JSON.stringify(sanitizeOneLine(given.slice(0, 100)))}.`,
  );
}
