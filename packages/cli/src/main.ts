import process from 'node:process';
import { CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';
import { createProgram } from './program.ts';
import { UsageError } from './usage-error.ts';
import { visibleLine } from './visible.ts';

/** Runs one command and returns its exit code. Whatever goes wrong, the user sees one line and no stack trace. */
export async function main(argv: readonly string[], io: Io = process): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  let code: number = exitCodes.finished;
  const program = createProgram({ io, signal: interrupt.signal, exit: (value) => (code = value) });
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return code;
  } catch (error) {
    return report(error, io);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function report(error: unknown, io: Io): number {
  // Commander has said what is wrong already, or only showed its help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.finished : exitCodes.usage;
  const isUsage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  io.stderr.write(`pawl: ${visibleLine(message)}\n`);
  if (!isUsage && process.env['PAWL_DEBUG'] === '1' && error instanceof Error) {
    io.stderr.write(`${error.stack ?? ''}\n`);
  }
  return isUsage ? exitCodes.usage : exitCodes.failed;
}
