import type { ExitCode } from '../../exit-codes.ts';
import type { CommandIo } from '../../command-io.ts';
import { startRun, type RunOptions } from '../../run/start-run.ts';

/** Starts a run that continues until the user leaves. */
export function startChat(message: string | null, options: RunOptions, io: CommandIo): Promise<ExitCode> {
  return startRun(message, { ...options, kind: 'chat' }, io);
}
