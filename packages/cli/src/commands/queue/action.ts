import type { TenantQueueDepth, DeadLetter } from '@pawl/worker';
import { exitCodes, type ExitCode } from '../../exit-codes.ts';
import type { CommandIo } from '../../command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { formatTenantLimits } from './limits.ts';
import { withQueue, type QueueFlags } from '../../queue/queue-connection.ts';
import { findSession } from '../../sessions/find-session.ts';
import { formatDateTime } from '../../output/format-time.ts';

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
