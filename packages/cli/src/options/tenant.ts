import { UsageError } from '../exit-codes.ts';
import { sanitizeOneLine } from '../output/sanitize-text.ts';

/** Tenant and schedule names are part of Redis key names. */
export function requireTenantName(option: string, value: string): void {
  if (/^[\w.-]{1,100}$/.test(value)) return;
  throw new UsageError(
    `${option} must be 1 to 100 letters, digits, dots, dashes and underscores, got ${JSON.stringify(sanitizeOneLine(value.slice(0, 100)))}.`,
  );
}
