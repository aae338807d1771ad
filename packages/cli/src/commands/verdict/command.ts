import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

/** Defines `pawl verdict`. */
export function defineVerdictCommand(command: Command, { io, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('<session>', sessionArgumentHelp)
    .argument('[mark]', 'right or wrong; if omitted, the verdicts are listed')
    .option('--rule <rule>', 'rule whose last verdict is marked (default: the last verdict of any rule)')
    .option('--event <n>', 'event whose verdict is marked')
    .option('--note <text>', 'explanation to store with the mark')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl verdict last',
        'pawl verdict last right',
        'pawl verdict 3f2a wrong --event 31 --note "the test was flaky"',
      ),
    )
    .action(
      async (
        sessionRef: string,
        mark: string | undefined,
        options: SessionCommandOptions & { rule?: string; event?: string; note?: string },
      ) => {
        const { runVerdict } = await import('./action.ts');
        exit(await runVerdict(sessionRef, mark, options, io));
      },
    );
}
