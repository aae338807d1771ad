import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

/** Defines `pawl stats`. */
export function defineStatsCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addSessionOptions(command)
    .option('-a, --all', 'include the sessions of all folders')
    .option('--html <file>', 'file to write an HTML report with plots to')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('pawl stats', 'pawl stats --html report.html', 'pawl stats --all --json | jq .accuracy'),
    )
    .action(async (options: SessionCommandOptions & { all?: true; html?: string }) => {
      const { showStats } = await import('./action.ts');
      exit(await showStats({ ...options, signal }, io));
    });
}
