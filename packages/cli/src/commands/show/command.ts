import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  sessionArgumentHelp,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

type ShowSessionFlags = SessionCommandOptions & {
  readonly at?: string;
  readonly prompt?: string;
  readonly why?: string;
  readonly events?: true;
};

/** Defines `pawl show`. */
export function defineShowCommand(command: Command, { io, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('<session>', sessionArgumentHelp)
    .option('--at <event>', 'event after which to show the state instead; 0 is the initial state')
    .option('--prompt <n>', 'number of the model request to show in full')
    .option('--why <step>', 'number of the step to explain, or event:N for the step of event N')
    .option('--events', 'print the event log, one JSON object per line')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl show last',
        'pawl show 3f2a --at 12',
        'pawl show 3f2a --prompt 4',
        'pawl show 3f2a --why event:12',
        'pawl show last --events | pawl pipe',
      ),
    )
    .action(async (sessionRef: string, options: ShowSessionFlags) => {
      const { showSession } = await import('./action.ts');
      exit(await showSession(sessionRef, options, io));
    });
}
