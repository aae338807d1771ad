import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

/** Defines `pawl rm`. */
export function defineRmCommand(command: Command, { io, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('<session...>', sessionArgumentHelp)
    .option('-y, --yes', 'skip the confirmation')
    .option('--force', 'also remove a running session')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', formatExamples('pawl rm 3f2a', 'pawl rm --yes 3f2a 91bc'))
    .action(async (words: string[], options: SessionCommandOptions & { yes?: true; force?: true }) => {
      const { removeSessions } = await import('./action.ts');
      exit(await removeSessions(words, options, io));
    });
}
