import type { SessionCommand } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import { withQueue, type QueueFlags } from './queue-place.ts';
import { sessionNamed } from './session-named.ts';

/** Asks something of a session that workers run, wherever that is. */
export function sendTo(word: string, command: SessionCommand, flags: QueueFlags, io: Io): Promise<ExitCode> {
  return withQueue(flags, {}, async ({ store, queue }) => {
    const { id } = await sessionNamed(store, word, flags.dir);
    await queue.send(id, command);
    if (flags.json === true) io.stdout.write(`${JSON.stringify({ id, command })}\n`);
    else io.stdout.write(`Kept. Whoever holds ${visibleLine(id)} carries it out.\n`);
    return exitCodes.finished;
  });
}
