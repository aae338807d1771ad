import type { Command } from 'commander';
import type { CommandIo } from './command-io.ts';
import { storeHelp } from './store-help.ts';

/** The dependencies of every command. */
export type CommandContext = {
  readonly io: CommandIo;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly exit: (code: number) => void;
};

/** Formats the examples of a command's help. */
export function formatExamples(...lines: readonly string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Options common to all commands on stored sessions. */
export type SessionCommandOptions = { readonly dir: string; readonly store?: string; readonly json?: true };

/** Adds a command on stored sessions. */
export function addSessionCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('-d, --dir <folder>', 'the folder whose sessions are meant', '.')
    .option('--store <where>', storeHelp);
}

export const sessionArgumentHelp = 'its id, the beginning of it, or "last" for the newest of this folder';

export const profileHelp =
  'how the machine behaves: pawl, loom, nexora, savant, lkj, lkj1, or a .json or .yaml file';

export const modelHelp = 'the model: librarian (offline), openai:…, anthropic:…, google:…, ollama:…';

export const summaryHelp = 'the model that sums up what no longer fits: as --model, or "same"';

export const modeHelp = 'what runs without asking: read-only, ask, auto-edit, full-auto';

/** Adds the budget options. Cost can be limited only where prices can be given. */
export function addBudgetOptions(command: Command, { withCost }: { readonly withCost: boolean }): Command {
  command
    .option('--max-steps <n>', 'ask the model at most this many times, the last time for an answer')
    .option('--max-tool-calls <n>', 'ask for an answer after this many tool calls')
    .option('--max-tokens <n>', 'ask for an answer after this many tokens, read and written');
  if (withCost)
    command.option('--max-cost <n>', 'ask for an answer once this much money is spent; needs prices');
  return command.option('--max-seconds <n>', 'ask for an answer after this many seconds');
}
