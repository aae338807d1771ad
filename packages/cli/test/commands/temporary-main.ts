import { CommanderError } from 'commander';
import { createProgram } from '../../src/program.ts';
import { addSessions } from '../../src/program-sessions.ts';
import { UsageError } from '../../src/usage-error.ts';
import { visibleLine } from '../../src/visible.ts';
import type { Io } from '../../src/io.ts';

export async function runMain(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const setting = { io, signal: new AbortController().signal, exit: (value: number) => void (code = value) };
  const program = createProgram(setting);
  if (!program.commands.some((each) => each.name() === 'sessions')) addSessions(program, setting);
  for (const each of program.commands) each.exitOverride().configureOutput({ writeOut: (t) => void io.stdout.write(t), writeErr: (t) => void io.stderr.write(t) });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.stderr.write(`pawl: ${visibleLine(error instanceof Error ? error.message : String(error))}\n`);
    if (process.env['DEBUGX']) console.error(error);
    return error instanceof UsageError ? 2 : 1;
  }
}
