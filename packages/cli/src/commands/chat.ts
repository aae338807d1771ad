import type { ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { begin, type RunOptions } from './run.ts';

/** A conversation in a folder: as a run, but it goes on until the user leaves. */
export function chat(message: string | null, options: RunOptions, io: Io): Promise<ExitCode> {
  return begin(message, { ...options, kind: 'chat' }, io);
}
