import type { Command } from 'commander';
import type { BudgetFlags } from './commands/budget-options.ts';
import type { ModelFlags } from './commands/model-options.ts';
import {
  addBudgetOptions,
  formatExamples,
  modeHelp,
  modelHelp,
  profileHelp,
  summaryHelp,
  sessionArgumentHelp,
  type CommandContext,
} from './program-parts.ts';
import { storeHelp } from './store-help.ts';

/** Adds the commands that start or resume a session. */
export function addRunCommands(program: Command, setting: CommandContext): void {
  addRunCommand(program, setting);
  addChatCommand(program, setting);
  addResumeCommand(program, setting);
}

type RunFlags = BudgetFlags &
  ModelFlags & {
    readonly dir: string;
    readonly profile?: string;
    readonly mode?: string;
    readonly autoCommit?: true;
    readonly watchResources?: true;
    readonly open?: true;
    readonly plain?: true;
    readonly quiet?: true;
    readonly store?: string;
    readonly trace?: true;
    readonly traceFile?: string;
    readonly logFile?: string;
    readonly logLevel?: string;
    readonly json?: true;
  };

/** Adds the options for starting a session, for runs and chats. */
function addRunOptions(command: Command): Command {
  command
    .option('-d, --dir <folder>', 'the folder to work in', '.')
    .option('-p, --profile <name>', `${profileHelp} (default: "pawl")`)
    .option('-m, --model <spec>', `${modelHelp} (default: "librarian")`)
    .option('--mode <mode>', `${modeHelp} (default: "ask")`)
    .option('--auto-commit', 'keep each step that changes something as a git commit')
    .option('--watch-resources', watchResourcesHelp)
    .option('--base-url <url>', 'where an openai-compatible model is served')
    .option('--summary-model <spec>', summaryHelp)
    .option('--price-in <n>', 'money per million tokens read, for --max-cost')
    .option('--price-out <n>', 'money per million tokens written')
    .option('--max-output-tokens <n>', 'how many tokens one reply may have');
  addBudgetOptions(command, { withCost: true })
    .option('--store <where>', storeHelp)
    .option('--open', 'show it in a browser as well, as pawl dashboard does');
  return addOutputOptions(command);
}

const watchResourcesHelp = 'pause while the machine is short of processor time, memory or disk space';

/** Adds the options for the trace, the log and the output. */
function addOutputOptions(command: Command): Command {
  return command
    .option(
      '--trace',
      'write every prompt, reply and transition to logs/agent_trace.log, one JSON object a line',
    )
    .option('--trace-file <file>', 'write them to this file instead')
    .option('--log-file <file>', 'add what happens to a file, one JSON object a line, without what is said')
    .option('--log-level <level>', 'how much of it: trace, debug, info, warn, error (default: "info")')
    .option('--plain', 'print lines instead of the live view')
    .option('-q, --quiet', 'print the answer only')
    .option('--json', 'print one JSON object a line: what happens, and last the result');
}

function addRunCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addRunOptions(
    program
      .command('run')
      .description('work on a goal in a folder; offline, answer with quoted, cited passages')
      .argument('<goal...>', 'what you want to know, or to have done'),
  )
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
      const { runGoal } = await import('./commands/run.ts');
      exit(await runGoal(goal.join(' '), { ...options, signal }, io));
    });
}

function addChatCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addRunOptions(
    program
      .command('chat')
      .description('talk with an agent in a folder, for as long as you like')
      .argument('[message...]', 'what to begin with'),
  )
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl chat',
        'pawl chat --model openai:gpt-5 "What does this project do?"',
        `printf 'When is the party?\\nWho comes?\\n' | pawl chat --quiet`,
      )}\n\nWithout a terminal, each line of the input is something you say, and each answer goes to the output.`,
    )
    .action(async (message: string[], options: RunFlags) => {
      const { startChat } = await import('./commands/chat.ts');
      exit(await startChat(message.length === 0 ? null : message.join(' '), { ...options, signal }, io));
    });
}

type ResumeFlags = Omit<RunFlags, keyof BudgetFlags | 'profile' | 'autoCommit' | 'open'> & {
  readonly takeOver?: true;
  readonly trustStore?: true;
};

function addResumeCommand(program: Command, { io, signal, exit }: CommandContext): void {
  const command = program
    .command('resume')
    .description(
      'go on with a session where it stopped: after Ctrl-C, a closed terminal, a kill, a loss of power',
    )
    .argument('[session]', sessionArgumentHelp, 'last')
    .argument('[message...]', 'something to say in it')
    .option('-d, --dir <folder>', 'the folder whose sessions are meant', '.')
    .option('--store <where>', storeHelp)
    .option('-m, --model <spec>', 'a model other than the one it was begun with')
    .option('--base-url <url>', 'where that model is served')
    .option('--summary-model <spec>', summaryHelp)
    .option('--mode <mode>', `from now on, ${modeHelp}`)
    .option('--watch-resources', watchResourcesHelp)
    .option('--take-over', 'take it from the process that runs it now')
    .option('--trust-store', 'act on a database that was not made here');
  addOutputOptions(command)
    .addHelpText(
      'after',
      formatExamples('pawl resume', 'pawl resume 1f3a9c2e', 'pawl resume last "Now write a test for it"'),
    )
    .action(async (session: string, message: string[], options: ResumeFlags) => {
      const { runResume } = await import('./commands/resume.ts');
      exit(
        await runResume(session, message.length === 0 ? null : message.join(' '), { ...options, signal }, io),
      );
    });
}
