import type { Depth, Parked } from '@pawl/worker';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import { limitsText } from './queue-limit.ts';
import { withQueue, type QueueFlags } from './queue-place.ts';
import { sessionNamed } from './session-named.ts';
import { dateTime } from './show-time.ts';

/** Shows how much waits, is at work, has lost its worker, and what is parked and why. */
export function showQueue(flags: QueueFlags, io: Io): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ queue }) => {
    const [depths, parked] = await Promise.all([queue.depths(), queue.parked()]);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ tenants: depths, parked })}\n`);
    else io.stdout.write([...depths.map(depthLine), ...parked.map(parkedLine)].join(''));
    return exitCodes.finished;
  });
}

/** Gives a session that was parked another chance. */
export function retrySession(word: string, flags: QueueFlags, io: Io): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ store, queue }) => {
    const { id } = await sessionNamed(store, word, flags.dir);
    const wasParked = await queue.retry(id);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ id, wasParked })}\n`);
    else io.stdout.write(`${visibleLine(id)} is queued again.\n`);
    return exitCodes.finished;
  });
}

/** Takes a session out of the queue. It stays where it is kept. */
export function dropSession(word: string, flags: QueueFlags, io: Io): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ store, queue }) => {
    const { id } = await sessionNamed(store, word, flags.dir);
    await queue.drop(id, Date.now());
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ id, dropped: true })}\n`);
    else io.stdout.write(`${visibleLine(id)} is left alone from now on. Undo it with: pawl queue retry\n`);
    return exitCodes.finished;
  });
}

function depthLine({ tenant, waiting, delayed, active, stalled, limits }: Depth): string {
  const counts = `${waiting} waiting, ${delayed} delayed, ${active} active, ${stalled} stalled`;
  const limited = limitsText(limits);
  return `${visibleLine(tenant)}: ${counts}${limited === '' ? '' : ` (${limited})`}\n`;
}

function parkedLine({ session, reason, at }: Parked): string {
  return `parked ${visibleLine(session)}  ${dateTime(at)}  ${visibleLine(reason)}\n`;
}
