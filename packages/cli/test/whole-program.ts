import { CommanderError, type Command } from 'commander';
import { createProgram } from '../src/program.ts';
import { UsageError } from '../src/exit-codes.ts';
import { captureIo } from './capture-io.ts';

/** The program with all its commands. */
export function createWholeProgram(io = captureIo().io): Promise<Command> {
  return createProgram({ io, signal: new AbortController().signal, exit: () => undefined });
}

/** What the command line makes of some words: the exit code as `main` would have it, and what was written. */
export async function parseCommandLine(
  args: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  const captured = captureIo();
  const program = await createWholeProgram(captured.io);
  const code = await program.parseAsync([...args], { from: 'user' }).then(
    () => 0,
    (error: unknown) => {
      if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
      if (error instanceof UsageError) return 2;
      throw error;
    },
  );
  return { code, out: captured.out(), err: captured.err() };
}
