import process from 'node:process';
import { CommanderError } from 'commander';
import { exitCodes, UsageError } from './output/exit-codes.ts';
import type { CommandIo } from './output/command-io.ts';
import { createProgram } from './program.ts';
import { sanitizeOneLine } from './output/sanitize-text.ts';

/** Runs one command and returns its exit code. On any error the user sees one line and no stack trace. */
export async function main(argv: readonly string[], io: CommandIo = process): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort();
  const signals = stopSignals(process.platform);
  for (const signal of signals) process.once(signal, onSignal);
  let code: number = exitCodes.finished;
  try {
    const context = { io, signal: interrupt.signal, exit: (value: number) => (code = value) };
    const program = await createProgram(context, argv);
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return code;
  } catch (error) {
    return reportCommandError(error, io);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** The signals that stop a command. Windows also has Ctrl-Break, and its terminal sends no SIGTERM. */
export function stopSignals(platform: NodeJS.Platform): readonly NodeJS.Signals[] {
  return platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK'] : ['SIGINT', 'SIGTERM'];
}

function reportCommandError(error: unknown, io: CommandIo): number {
  // Commander has already printed the error or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.finished : exitCodes.usage;
  const isUsage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  io.stderr.write(`pawl: ${sanitizeOneLine(message)}\n`);
  if (!isUsage && process.env['PAWL_DEBUG'] === '1' && error instanceof Error) {
    io.stderr.write(`${error.stack ?? ''}\n`);
  }
  return isUsage ? exitCodes.usage : exitCodes.failed;
}
