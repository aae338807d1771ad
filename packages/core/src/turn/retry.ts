import type { EventOfType, ModelError } from '../session/event.ts';
import type { Session } from '../session/session.ts';
import type { SessionSettings } from '../session/settings.ts';
import type { IoRecovery, PagingTurn, PostToolsHook } from '../session/turn-state.ts';
import { transitionTurn } from './transition-turn.ts';
import type { SessionStep } from '../session/session-step.ts';

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

/** Waits to repeat paging or hooks that failed. Returns null if no retry is left. */
export function retryIo(
  session: Session,
  turn: PagingTurn | PostToolsHook,
  event: EventOfType<'paging-failed' | 'hooks-failed'>,
): SessionStep | null {
  const { at, jitter, message } = event;
  const { conversation, request } = turn;
  const failures = turn.retries + 1;
  const retryAt = computeRetryTime(session.settings, { at, failures, jitter });
  if (retryAt === null) return null;
  const to: IoRecovery = {
    status: 'errorRecovery',
    since: at,
    conversation,
    origin: 'io',
    request,
    retries: failures,
    retryAt,
    message,
    work:
      turn.status === 'paging' ? { kind: 'paging', paging: turn.work } : { kind: 'hooks', hooks: turn.work },
  };
  return transitionTurn(session, event, { to, actions: [{ type: 'wait', until: retryAt }] });
}
