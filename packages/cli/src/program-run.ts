import type { Command } from 'commander';
import type { BudgetFlags } from './commands/budget-options.ts';
import type { ModelFlags } from '@pawl/runtime/agent-setup';
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
export function addRunCommands(program: Command, context: CommandContext): void {
  addRunCommand(program, context);
  addChatCommand(program, context);
  addResumeCommand(program, context);
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
    .option('-d, --dir <folder>', 'folder to work in', '.')
    .option('-p, --profile <name>', `${profileHelp} (default: "pawl")`)
    .option('-m, --model <spec>', `${modelHelp} (default: "librarian")`)
    .option('--mode <mode>', `${modeHelp} (default: "ask")`)
    .option('--auto-commit', 'commit each step that changes files to git')
    .option('--watch-resources', watchResourcesHelp)
    .option('--base-url <url>', 'base URL of an openai-compatible model')
    .option('--summary-model <spec>', summaryHelp)
    .option('--price-in <n>', 'input price per 1M tokens, for --max-cost')
    .option('--price-out <n>', 'output price per 1M tokens')
    .option('--max-output-tokens <n>', 'maximum number of tokens per reply');
  addBudgetOptions(command, { withCost: true })
    .option('--store <where>', storeHelp)
    .option('--open', 'also show the run in a browser, like pawl dashboard');
  return addOutputOptions(command);
}

const watchResourcesHelp = 'pause while the machine is short of CPU, memory or disk space';

/** Adds the options for the trace, the log and the output. */
function addOutputOptions(command: Command): Command {
  return command
    .option(
      '--trace',
      'write every prompt, reply and transition to logs/agent_trace.log, one JSON object per line',
    )
    .option('--trace-file <file>', 'trace file to write instead of logs/agent_trace.log')
    .option(
      '--log-file <file>',
      'file to append events to, one JSON object per line, without message contents',
    )
    .option('--log-level <level>', 'log level: trace, debug, info, warn, error (default: "info")')
    .option('--plain', 'print lines instead of the live view')
    .option('-q, --quiet', 'print only the answer')
    .option('--json', 'print one JSON object per line: the events, then the result');
}

function addRunCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addRunOptions(
    program
      .command('run')
      .description('Work on a goal in a folder; offline, answer with quoted, cited passages')
      .argument('<goal...>', 'question to answer or task to do'),
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
      .description('Chat with an agent in a folder')
      .argument('[message...]', 'first message'),
  )
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl chat',
        'pawl chat --model openai:gpt-5 "What does this project do?"',
        `printf 'When is the party?\\nWho comes?\\n' | pawl chat --quiet`,
      )}\n\nWithout a terminal, each line of standard input is a message, and each answer goes to standard output.`,
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
    .description('Resume a session after an interruption or a crash, or with a new message')
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
      const { runResume } = await import('./commands/resume.ts');
      exit(
        await runResume(session, message.length === 0 ? null : message.join(' '), { ...options, signal }, io),
      );
    });
}
