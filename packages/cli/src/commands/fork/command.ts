import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

/** Defines `pawl fork`. */
export function defineForkCommand(command: Command, { io, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('<session>', sessionArgumentHelp)
    .option('--at <event>', 'last event that both sessions share (default: the last event)')
    .option('--say <text>', 'message to send to the fork; work in progress is cancelled')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('pawl fork last --at 12', 'pawl fork 3f2a --at 12 --say "Try it without a cache"'),
    )
    .action(async (sessionRef: string, options: SessionCommandOptions & { at?: string; say?: string }) => {
      const { runFork } = await import('./action.ts');
      exit(await runFork(sessionRef, options, io));
    });
}
