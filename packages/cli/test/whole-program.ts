import { CommanderError, type Command } from 'commander';
import { createProgram } from '../src/program.ts';
import { UsageError } from '../src/output/exit-codes.ts';
import { captureIo } from './capture-io.ts';

/** The program with all its commands. */
export function createWholeProgram(io = captureIo().io): Promise<Command> {
  return createProgram({ io, signal: new AbortController().signal, exit: () => undefined });
}

/** Runs a command line and returns its exit code, as `main` would, and its output. */
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
