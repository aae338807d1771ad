import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

/** Defines `pawl diff`. */
export function defineDiffCommand(command: Command, { io, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('<a>', sessionArgumentHelp)
    .argument('<b>', 'session to compare with')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl diff 3f2a 91bc', 'pawl diff last 3f2a --json'))
    .action(async (a: string, b: string, options: SessionCommandOptions) => {
      const { diffSessions } = await import('./action.ts');
      exit(await diffSessions([a, b], options, io));
    });
}
