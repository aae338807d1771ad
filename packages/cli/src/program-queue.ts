import type { Command } from 'commander';
import type { SessionCommand } from '@pawl/runtime';
import type { TenantLimitFlags } from './commands/queue-limit.ts';
import type { QueueFlags } from './commands/queue-connection.ts';
import type { SubmitGoalOptions } from './commands/submit.ts';
import type { WorkerFlags } from './commands/worker.ts';
import {
  formatExamples,
  type CommandContext,
  addBudgetOptions,
  modeHelp,
  modelHelp,
  summaryHelp,
  sessionArgumentHelp,
} from './program-parts.ts';
import { addTellCommand } from './program-tell.ts';

/** Adds the commands for work on other machines. */
export function addRemoteCommands(program: Command, setting: CommandContext): void {
  addTellCommand(program, setting);
  addSubmitCommand(program, setting);
  addWorkerCommand(program, setting);
  addQueueCommands(program, setting);
}

/** Adds a command with the flags that select a Redis. */
function addRedisCommand(program: Command, name: string, description: string, folder: string): Command {
  return program
    .command(name, { isDefault: name === 'show' })
    .description(description)
    .option('-d, --dir <folder>', folder, '.')
    .option(
      '--store <url>',
      'the Redis that all workers reach, such as redis://host:6379 (or PAWL_REDIS_URL)',
    )
    .option('--json', 'print one JSON object a line');
}

const allowLossFlag = '--allow-loss';
const allowLossHelp = 'take a Redis that may lose what it is given, and only say so';

function addSubmitCommand(program: Command, { io, exit }: CommandContext): void {
  const submit = addRedisCommand(
    program,
    'submit',
    'hand a goal to the workers and leave it to them',
    'the folder to work in',
  )
    .argument('<goal...>', 'what you want to know, or to have done')
    .option(
      '-p, --profile <name>',
      'how the machine behaves: pawl, loom, nexora, savant, or a .json or .yaml file (default: "pawl")',
    )
    .option('-m, --model <spec>', `${modelHelp} (default: "librarian")`)
    .option('--mode <mode>', `${modeHelp} (default: "ask")`)
    .option('--auto-commit', 'keep each step that changes something as a git commit')
    .option('--base-url <url>', 'where an openai-compatible model is served')
    .option('--summary-model <spec>', summaryHelp)
    .option('--max-output-tokens <n>', 'how many tokens one reply may have');
  addBudgetOptions(submit, { withCost: false })
    .option(
      '--tenant <name>',
      'whose work it is: each has a queue and limits of its own (default: "default")',
    )
    .option('--priority <n>', 'the lowest goes first; work without one goes before all that has one')
    .option('--delay <span>', 'begin no sooner than this from now: 90m, 12h, 30d')
    .option('--every <span>', 'submit it again and again, each time as a new session: 90m, 6h, 7d')
    .option('--cron <expression>', 'submit it again by the clock: minute, hour, day, month, day of the week')
    .option('--tz <zone>', 'the time zone of --cron (default: "UTC")')
    .option('--name <name>', 'what the schedule is called; the same name again replaces it')
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
      const { submitGoal } = await import('./commands/submit.ts');
      exit(await submitGoal(goal.join(' '), options, io));
    });
}

function addWorkerCommand(program: Command, { io, signal, exit }: CommandContext): void {
  const folder = 'only sessions that work in this folder or below it';
  addRedisCommand(
    program,
    'worker',
    'take sessions from the queue and work on them until Ctrl-C or SIGTERM',
    folder,
  )
    .option('-c, --concurrency <n>', 'how many sessions of one tenant at once', '4')
    .option('--lease <seconds>', 'how long without a sign of life until others take over', '10')
    .option(
      '--grace <seconds>',
      'how long running work may take to end once this worker is told to stop',
      '5',
    )
    .option('--keep <span>', 'remove sessions that ended longer ago than this: 12h, 30d (default: keep all)')
    .option('--metrics-port <n>', 'serve metrics for Prometheus at this port of this machine, as /metrics')
    .option(allowLossFlag, allowLossHelp)
    .addHelpText(
      'after',
      formatExamples(
        'pawl worker --store redis://localhost:6379',
        'pawl worker --dir ~/projects --concurrency 8',
      ),
    )
    .action(async (options: Omit<WorkerFlags, 'signal'>) => {
      const { runWorker } = await import('./commands/worker.ts');
      exit(await runWorker({ ...options, signal }, io));
    });
}

function addQueueCommands(program: Command, { io, exit }: CommandContext): void {
  const queue = program.command('queue').description('see and change what workers have to do');
  const folder = 'the folder whose sessions "last" means';
  addRedisCommand(queue, 'show', 'show how much waits, is at work, has lost its worker or is parked', folder)
    .addHelpText('after', formatExamples('pawl queue show', 'pawl queue show --json | jq .parked'))
    .action(async (options: QueueFlags) => {
      const { showQueue } = await import('./commands/queue.ts');
      exit(await showQueue(options, io));
    });
  addRedisCommand(queue, 'retry', 'give a parked session another chance', folder)
    .argument('<session>', sessionArgumentHelp)
    .addHelpText('after', formatExamples('pawl queue retry 3f2a'))
    .action(async (word: string, options: QueueFlags) => {
      const { retryParkedSession } = await import('./commands/queue.ts');
      exit(await retryParkedSession(word, options, io));
    });
  addRedisCommand(queue, 'drop', 'take a session out of the queue; it stays where it is kept', folder)
    .argument('<session>', sessionArgumentHelp)
    .addHelpText('after', formatExamples('pawl queue drop 3f2a'))
    .action(async (word: string, options: QueueFlags) => {
      const { dropQueuedSession } = await import('./commands/queue.ts');
      exit(await dropQueuedSession(word, options, io));
    });
  addTenantCommands(queue, { io, exit });
  addSendCommands(queue, { io, exit });
}

function addTenantCommands(queue: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  const folder = 'the folder whose configuration counts';
  addRedisCommand(
    queue,
    'limit',
    "limit how much of a tenant's work is done at once, and how often it begins",
    folder,
  )
    .argument('<tenant>', 'whose work it is')
    .option('--concurrency <n>', 'at most this many sessions at once, on all workers together; or "none"')
    .option('--rate <n/span>', 'at most this many sessions begun in a span of time: 5/s, 100/1h; or "none"')
    .addHelpText(
      'after',
      formatExamples(
        'pawl queue limit web --concurrency 4 --rate 100/1h',
        'pawl queue limit web --rate none',
      ),
    )
    .action(async (tenant: string, options: TenantLimitFlags) => {
      const { setTenantLimits } = await import('./commands/queue-limit.ts');
      exit(await setTenantLimits(tenant, options, io));
    });
  addRedisCommand(queue, 'schedules', 'list what is submitted again and again, and when next', folder)
    .addHelpText('after', formatExamples('pawl queue schedules', 'pawl queue schedules --json'))
    .action(async (options: QueueFlags) => {
      const { listSchedules } = await import('./commands/schedules.ts');
      exit(await listSchedules(options, io));
    });
  addRedisCommand(queue, 'unschedule', 'end a schedule; what it has begun goes on', folder)
    .argument('<name>', 'the name of the schedule')
    .option('--tenant <name>', 'whose schedule, where several have one of that name')
    .addHelpText('after', formatExamples('pawl queue unschedule nightly'))
    .action(async (name: string, options: QueueFlags & { readonly tenant?: string }) => {
      const { removeSchedule } = await import('./commands/schedules.ts');
      exit(await removeSchedule(name, options, io));
    });
}

type QueueSendFlags = QueueFlags & { readonly reason?: string };

/** The commands that can be sent to a session, with their arguments. */
const sendCommandDefinitions: readonly {
  readonly name: string;
  readonly description: string;
  readonly argument: readonly [name: string, help: string] | null;
  readonly example: string;
  readonly command: (word: string, options: QueueSendFlags) => SessionCommand;
}[] = [
  {
    name: 'say',
    description: 'say something to it',
    argument: ['<text>', 'what is to be said'],
    example: '3f2a "Leave the tests alone"',
    command: (text) => ({ kind: 'say', text }),
  },
  {
    name: 'allow',
    description: 'allow a call it asks about',
    argument: ['<call>', 'the id of the call, as pawl show tells it'],
    example: '3f2a call_1',
    command: (callId) => ({ kind: 'decide', callId, decision: 'allow' }),
  },
  {
    name: 'deny',
    description: 'deny a call it asks about',
    argument: ['<call>', 'the id of the call, as pawl show tells it'],
    example: '3f2a call_1 --reason "not on a Friday"',
    command: (callId, { reason }) => ({
      kind: 'decide',
      callId,
      decision: 'deny',
      ...(reason !== undefined && { reason }),
    }),
  },
  {
    name: 'cancel',
    description: 'call off what it is doing',
    argument: null,
    example: '3f2a',
    command: (_, { reason }) => ({ kind: 'cancel', ...(reason !== undefined && { reason }) }),
  },
  {
    name: 'finish',
    description: 'have it give an answer now',
    argument: null,
    example: 'last --reason "it is late"',
    command: (_, { reason = 'the user asked for it' }) => ({ kind: 'finish', reason }),
  },
  {
    name: 'halt',
    description: 'end it for good',
    argument: null,
    example: '3f2a',
    command: (_, { reason = 'the user asked for it' }) => ({ kind: 'halt', reason }),
  },
];

function addSendCommands(queue: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  const folder = 'the folder whose sessions "last" means';
  for (const { name, description, argument, example, command: made } of sendCommandDefinitions) {
    const added = addRedisCommand(queue, name, `${description}, wherever it runs`, folder)
      .argument('<session>', sessionArgumentHelp)
      .option('--reason <text>', 'why');
    if (argument !== null) added.argument(...argument);
    added.addHelpText('after', formatExamples(`pawl queue ${name} ${example}`));
    added.action(async (session: string, ...rest: unknown[]) => {
      const word = argument === null ? '' : String(rest[0]);
      const options = (argument === null ? rest[0] : rest[1]) as QueueSendFlags;
      const { sendQueueCommand } = await import('./commands/queue-send.ts');
      exit(await sendQueueCommand(session, made(word, options), options, io));
    });
  }
}
