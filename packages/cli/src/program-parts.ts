import type { Command } from 'commander';
import type { Io } from './io.ts';
import { storeHelp } from './store-help.ts';

/** What every command is given to work with. */
export type Setting = {
  readonly io: Io;
  /** Aborted when the user presses Ctrl-C. */
  readonly signal: AbortSignal;
  readonly exit: (code: number) => void;
};

/** How the help of a command shows it at work. */
export function examples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** What a command on kept sessions is told, in the same way by each. */
export type SessionOptions = { readonly dir: string; readonly store?: string; readonly json?: true };

/** A command on kept sessions. */
export function sessionCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('-d, --dir <folder>', 'the folder whose sessions are meant', '.')
    .option('--store <where>', storeHelp);
}
