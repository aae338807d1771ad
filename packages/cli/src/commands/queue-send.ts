import type { SessionCommand } from '@pawl/runtime/commands';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { withQueue, type QueueFlags } from './queue-connection.ts';
import { findSession } from './find-session.ts';

/** Sends a command to a session that workers run. */
export function sendQueueCommand(
  sessionRef: string,
  command: SessionCommand,
  flags: QueueFlags,
  io: CommandIo,
): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ store, queue }) => {
    const { id } = await findSession(store, sessionRef, flags.dir);
    await queue.send(id, command);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ id, command })}\n`);
    else io.stdout.write(`Queued. The worker that runs ${sanitizeOneLine(id)} will apply it.\n`);
    return exitCodes.finished;
  });
}
