import type { ModelError } from '../event.ts';
import type { SessionSettings } from '../settings.ts';

/**
 * Returns the time of the next retry after `failures` consecutive failures, or null to give up.
 * The delay is the one the provider asked for. Otherwise it doubles each time, and `jitter` (0 to 1, default 1) picks a
 * point in its upper half so that many clients do not retry at once.
 */
export function computeRetryTime(
  settings: SessionSettings,
  failure: { readonly at: number; readonly failures: number; readonly jitter: number | undefined },
  error?: ModelError,
): number | null {
  if (failure.failures >= settings.maxRetries || error?.retryable === false) return null;
  const requestedDelay = error?.retryAfterMs;
  if (requestedDelay !== undefined && requestedDelay >= 0) {
    return requestedDelay > settings.retryAfterMaxMs ? null : failure.at + requestedDelay;
  }
  const doubled = settings.retryBaseMs * 2 ** Math.min(failure.failures - 1, 30);
  const delay = Math.min(doubled, settings.retryMaxMs);
  const rawJitter = failure.jitter ?? 1;
  const jitter = Number.isNaN(rawJitter) ? 1 : Math.min(Math.max(rawJitter, 0), 1);
  return failure.at + Math.round(delay * (0.5 + jitter / 2));
}
