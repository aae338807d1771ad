import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  verboseHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

type WatchFlags = { readonly fromStart?: true; readonly plain?: true; readonly verbose?: true };

/** Defines `pawl watch`. */
export function defineWatchCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('[session]', sessionArgumentHelp, 'last')
    .option('--from-start', 'include past events')
    .option('--plain', 'print lines instead of the live view')
    .option('--verbose', verboseHelp)
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples('pawl watch', 'pawl watch 3f2a --from-start', 'pawl watch --json | jq .type'),
    )
    .action(async (sessionRef: string, options: SessionCommandOptions & WatchFlags) => {
      const { watchSession } = await import('./action.ts');
      exit(await watchSession(sessionRef, { ...options, signal }, io));
    });
}
