import type { Command } from 'commander';
import type { BudgetFlags } from '../../options/parse-options.ts';
import {
  formatExamples,
  sessionArgumentHelp,
  summaryHelp,
  modeHelp,
  storeHelp,
  type CommandContext,
  addOutputOptions,
  watchResourcesHelp,
  type RunFlags,
} from '../../options/command-options.ts';

type ResumeFlags = Omit<RunFlags, keyof BudgetFlags | 'profile' | 'autoCommit' | 'open'> & {
  readonly takeOver?: true;
  readonly trustStore?: true;
};

/** Defines `pawl resume`. */
export function defineResumeCommand(command: Command, { io, signal, exit }: CommandContext): void {
  command
    .argument('[session]', sessionArgumentHelp, 'last')
    .argument('[message...]', 'message to send')
    .option('-d, --dir <folder>', 'folder whose sessions are used', '.')
    .option('--store <where>', storeHelp)
    .option('-m, --model <spec>', 'model to use instead of the one that the session started with')
    .option('--base-url <url>', 'base URL of that model')
    .option('--summary-model <spec>', summaryHelp)
    .option('--mode <mode>', `new ${modeHelp}`)
    .option('--watch-resources', watchResourcesHelp)
    .option('--take-over', 'take the session over from the process that runs it')
    .option('--trust-store', 'resume from a database that was not created on this machine');
  addOutputOptions(command)
    .addHelpText(
      'after',
      formatExamples('pawl resume', 'pawl resume 1f3a9c2e', 'pawl resume last "Now write a test for it"'),
    )
    .action(async (session: string, message: string[], options: ResumeFlags) => {
      const { runResume } = await import('./action.ts');
      exit(
        await runResume(session, message.length === 0 ? null : message.join(' '), { ...options, signal }, io),
      );
    });
}
