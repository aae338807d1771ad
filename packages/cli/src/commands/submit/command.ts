import type { Command } from 'commander';
import {
  formatExamples,
  addRedisOptions,
  addBudgetOptions,
  allowLossFlag,
  allowLossHelp,
  modelHelp,
  summaryHelp,
  modeHelp,
  type CommandContext,
} from '../../options/command-options.ts';
import type { SubmitGoalOptions } from './action.ts';

/** Defines `pawl submit`. */
export function defineSubmitCommand(command: Command, { io, exit }: CommandContext): void {
  const submit = addRedisOptions(command, 'folder to work in')
    .argument('<goal...>', 'question to answer or task to do')
    .option(
      '-p, --profile <name>',
      'profile: pawl, loom, nexora, savant, or a .json or .yaml file (default: "pawl")',
    )
    .option('-m, --model <spec>', `${modelHelp} (default: "librarian")`)
    .option('--mode <mode>', `${modeHelp} (default: "ask")`)
    .option('--auto-commit', 'commit each step that changes files to git')
    .option('--base-url <url>', 'base URL of an openai-compatible model')
    .option('--summary-model <spec>', summaryHelp)
    .option('--max-output-tokens <n>', 'maximum number of tokens per reply');
  addBudgetOptions(submit, { withCost: false })
    .option(
      '--tenant <name>',
      'tenant to submit for; each tenant has its own queue and limits (default: "default")',
    )
    .option('--priority <n>', 'priority, lowest first; sessions without a priority run before those with one')
    .option('--delay <span>', 'delay before the session starts: 90m, 12h, 30d')
    .option('--every <span>', 'interval at which a new session is submitted: 90m, 6h, 7d')
    .option(
      '--cron <expression>',
      'cron expression by which a new session is submitted: minute, hour, day, month, weekday',
    )
    .option('--tz <zone>', 'time zone of --cron (default: "UTC")')
    .option('--name <name>', 'name of the schedule; replaces an existing schedule of the same name')
    .option(allowLossFlag, allowLossHelp)
    .addHelpText(
      'after',
      formatExamples(
        'pawl submit --store redis://localhost:6379 "How are retries counted?"',
        'pawl submit --tenant web --priority 5 --delay 2h "Update the changelog"',
        'pawl submit --cron "0 3 * * *" --tz Europe/Zurich --name nightly "Check the links in docs"',
      ),
    )
    .action(async (goal: string[], options: SubmitGoalOptions) => {
      const { submitGoal } = await import('./action.ts');
      exit(await submitGoal(goal.join(' '), options, io));
    });
}
