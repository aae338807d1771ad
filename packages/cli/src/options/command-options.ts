import type { Command } from 'commander';
import type { CommandIo } from '../command-io.ts';
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
    .option('-d, --dir <folder>', 'folder whose sessions are used', '.')
    .option('--store <where>', storeHelp);
}

export const sessionArgumentHelp = 'session id, id prefix, or "last" for the newest session of this folder';

export const profileHelp = 'profile: pawl, loom, nexora, savant, lkj, lkj1, or a .json or .yaml file';

export const modelHelp = 'model: librarian (offline), openai:…, anthropic:…, google:…, ollama:…';

export const summaryHelp = 'model used for context compaction: a model spec, or "same" for the main model';

export const modeHelp = 'permission mode: read-only, ask, auto-edit, full-auto';

/** Adds the budget options. Cost can be limited only where prices can be given. */
export function addBudgetOptions(command: Command, { withCost }: { readonly withCost: boolean }): Command {
  command
    .option('--max-steps <n>', 'maximum number of model calls; the last one requests the final answer')
    .option('--max-tool-calls <n>', 'tool calls after which the final answer is requested')
    .option('--max-tokens <n>', 'input and output tokens after which the final answer is requested');
  if (withCost)
    command.option('--max-cost <n>', 'cost after which the final answer is requested; requires prices');
  return command.option('--max-seconds <n>', 'seconds after which the final answer is requested');
}
