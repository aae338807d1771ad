import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

/** Defines `pawl sessions`. */
export function defineSessionsCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addSessionOptions(command)
    .option('-a, --all', 'include the sessions of all folders')
    .option('-n, --limit <n>', 'maximum number of sessions', '50')
    .option('-w, --watch', 'refresh the list until Ctrl-C')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl sessions',
        'pawl sessions --watch',
        'pawl sessions --all --limit 200',
        'pawl sessions --json | jq .goal',
      ),
    )
    .action(async (options: SessionCommandOptions & { all?: true; limit: string; watch?: true }) => {
      const { listSessions } = await import('./action.ts');
      exit(await listSessions({ ...options, signal }, io));
    });
}
