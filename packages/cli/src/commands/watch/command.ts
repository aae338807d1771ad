import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

/** Defines `pawl watch`. */
export function defineWatchCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('[session]', sessionArgumentHelp, 'last')
    .option('--from-start', 'include past events')
    .option('--plain', 'print lines instead of the live view')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples('pawl watch', 'pawl watch 3f2a --from-start', 'pawl watch --json | jq .type'),
    )
    .action(
      async (sessionRef: string, options: SessionCommandOptions & { fromStart?: true; plain?: true }) => {
        const { watchSession } = await import('./action.ts');
        exit(await watchSession(sessionRef, { ...options, signal }, io));
      },
    );
}
