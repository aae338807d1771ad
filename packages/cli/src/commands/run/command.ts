import type { Command } from 'commander';
import {
  formatExamples,
  type CommandContext,
  addRunOptions,
  type RunFlags,
} from '../../options/command-options.ts';

/** Defines `pawl run`. */
export function defineRunCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addRunOptions(command.argument('<goal...>', 'question to answer or task to do'))
    .addHelpText(
      'after',
      formatExamples(
        'pawl run "How are retries counted?"',
        'pawl run --dir ~/notes "When is the garden party?"',
        'pawl run --quiet "What is a pawl?" > answer.txt',
        'pawl run --model anthropic:claude-sonnet-4-5 --mode auto-edit "Make the failing test pass"',
      ),
    )
    .action(async (goal: string[], options: RunFlags) => {
      const { runGoal } = await import('../../run/start-run.ts');
      exit(await runGoal(goal.join(' '), { ...options, signal }, io));
    });
}
