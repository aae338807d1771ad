import type { TenantQueueDepth, DeadLetter, TenantRate, TenantLimits } from '@pawl/worker';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { withQueue, type QueueFlags } from '../../queue/queue-connection.ts';
import { findSession } from '../../sessions/find-session.ts';
import { formatDateTime } from '../../output/format-time.ts';
import {
  formatTimeSpan,
  parseWholeNumberOption,
  timeUnitsMs,
  requireTenantName,
} from '../../options/parse-options.ts';

/** Shows how many sessions are waiting, running or have lost their worker, and which are parked and why. */
export function showQueue(flags: QueueFlags, io: CommandIo): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ queue }) => {
    const [depths, parked] = await Promise.all([queue.depths(), queue.parked()]);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ tenants: depths, parked })}\n`);
    else io.stdout.write([...depths.map(formatQueueDepth), ...parked.map(formatParkedSession)].join(''));
    return exitCodes.finished;
  });
}

/** Retries a parked session. */
export function retryParkedSession(sessionRef: string, flags: QueueFlags, io: CommandIo): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ store, queue }) => {
    const { id } = await findSession(store, sessionRef, flags.dir);
    const wasParked = await queue.retry(id);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ id, wasParked })}\n`);
    else io.stdout.write(`${sanitizeOneLine(id)} is queued again.\n`);
    return exitCodes.finished;
  });
}

/** Removes a session from the queue; the session itself stays in the store. */
export function dropQueuedSession(sessionRef: string, flags: QueueFlags, io: CommandIo): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ store, queue }) => {
    const { id } = await findSession(store, sessionRef, flags.dir);
    await queue.drop(id, Date.now());
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ id, dropped: true })}\n`);
    else io.stdout.write(`${sanitizeOneLine(id)} is removed from the queue. To undo: pawl queue retry\n`);
    return exitCodes.finished;
  });
}

function formatQueueDepth({ tenant, waiting, delayed, active, stalled, limits }: TenantQueueDepth): string {
  const counts = `${waiting} waiting, ${delayed} delayed, ${active} active, ${stalled} stalled`;
  const limited = formatTenantLimits(limits);
  return `${sanitizeOneLine(tenant)}: ${counts}${limited === '' ? '' : ` (${limited})`}\n`;
}

function formatParkedSession({ session, reason, at }: DeadLetter): string {
  return `parked ${sanitizeOneLine(session)}  ${formatDateTime(at)}  ${sanitizeOneLine(reason)}\n`;
}

export type TenantLimitFlags = QueueFlags & { readonly concurrency?: string; readonly rate?: string };

/** Sets a tenant's concurrency and rate limits. */
export async function setTenantLimits(
  tenant: string,
  flags: TenantLimitFlags,
  io: CommandIo,
): Promise<ExitCode> {
  requireTenantName('<tenant>', tenant);
  const newLimits = parseTenantLimits(flags);
  return withQueue(flags, {}, async ({ queue }) => {
    await queue.limit(tenant, newLimits);
    const limits = await queue.parts.queues.limits(tenant);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ tenant, limits })}\n`);
    else io.stdout.write(`${sanitizeOneLine(tenant)}: ${formatTenantLimits(limits) || 'no limit'}\n`);
    return exitCodes.finished;
  });
}

/** Empty if there is no limit. */
function formatTenantLimits({ concurrency, rate }: Required<TenantLimits>): string {
  return [
    ...(concurrency === null ? [] : [`at most ${concurrency} at once`]),
    ...(rate === null ? [] : [`${rate.max} every ${formatTimeSpan(rate.perMs)}`]),
  ].join(', ');
}

function parseTenantLimits({ concurrency, rate }: TenantLimitFlags): TenantLimits {
  if (concurrency === undefined && rate === undefined) {
    throw new UsageError('Specify a limit: --concurrency 4, --rate 100/1h, or "none" for either.');
  }
  return {
    ...(concurrency !== undefined && {
      concurrency: concurrency === 'none' ? null : parseWholeNumberOption('--concurrency', concurrency, 1),
    }),
    ...(rate !== undefined && { rate: rate === 'none' ? null : parseRate(rate) }),
  };
}

function parseRate(value: string): TenantRate {
  const [, max, count = '1', unit] = /^(\d{1,9})\/(\d{1,6})?([smhd])$/.exec(value.trim()) ?? [];
  const perMs = Number(count) * timeUnitsMs[(unit ?? 's') as keyof typeof timeUnitsMs];
  if (max !== undefined && Number(max) > 0 && perMs > 0) return { max: Number(max), perMs };
  throw new UsageError(
    `--rate must be a count per time span, such as 5/s, 100/1h or 1000/d, or "none", got ${JSON.stringify(value)}.`,
  );
}
