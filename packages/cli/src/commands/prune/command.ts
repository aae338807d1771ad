import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

type PruneFlags = SessionCommandOptions & {
  readonly all?: true;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: true;
  readonly yes?: true;
};

/** Defines `pawl prune`. */
export function definePruneCommand(command: Command, { io, exit }: CommandContext): void {
  addSessionOptions(command)
    .option('-a, --all', 'include the sessions of all folders')
    .option('--older-than <span>', 'minimum time since the last activity: 90m, 12h, 30d, 4w (default: "30d")')
    .option('--keep <n>', 'number of newest sessions to keep; without --older-than, all others are removed')
    .option('--dry-run', 'only list the sessions that would be removed')
    .option('-y, --yes', 'skip the confirmation')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples('pawl prune --dry-run', 'pawl prune --all --older-than 4w --keep 10 --yes'),
    )
    .action(async (options: PruneFlags) => {
      const { pruneSessions } = await import('./action.ts');
      exit(await pruneSessions(options, io));
    });
}
