import type { Command } from 'commander';
import type { SessionCommand } from '@pawl/runtime/commands';
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
export function addRemoteCommands(program: Command, context: CommandContext): void {
  addTellCommand(program, context);
  addSubmitCommand(program, context);
  addWorkerCommand(program, context);
  addQueueCommands(program, context);
}

/** Adds a command with the flags that select a Redis. */
function addRedisCommand(program: Command, name: string, description: string, folder: string): Command {
  return program
    .command(name, { isDefault: name === 'show' })
    .description(description)
    .option('-d, --dir <folder>', folder, '.')
    .option('--store <url>', 'Redis shared by all workers, such as redis://host:6379 (or PAWL_REDIS_URL)')
    .option('--json', 'print one JSON object per line');
}

const allowLossFlag = '--allow-loss';
const allowLossHelp = 'allow a Redis without durable persistence (warn only)';

function addSubmitCommand(program: Command, { io, exit }: CommandContext): void {
  const submit = addRedisCommand(program, 'submit', 'Submit a goal to the workers', 'folder to work in')
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
      const { submitGoal } = await import('./commands/submit.ts');
      exit(await submitGoal(goal.join(' '), options, io));
    });
}

function addWorkerCommand(program: Command, { io, signal, exit }: CommandContext): void {
  const folder = 'folder that sessions may work in, including subfolders';
  addRedisCommand(program, 'worker', 'Run sessions from the queue until Ctrl-C or SIGTERM', folder)
    .option('-c, --concurrency <n>', 'number of concurrent sessions per tenant', '4')
    .option(
      '--lease <seconds>',
      'lease duration; without a heartbeat for this long, another worker takes over',
      '10',
    )
    .option('--grace <seconds>', 'time that running work may take to finish on shutdown', '5')
    .option('--keep <span>', 'retention of ended sessions: 12h, 30d (default: unlimited)')
    .option('--metrics-port <n>', 'local port that serves Prometheus metrics at /metrics')
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
  const queue = program.command('queue').description('Show and manage the queue of the workers');
  const folder = 'folder whose sessions "last" refers to';
  addRedisCommand(
    queue,
    'show',
    'Show the number of waiting, active and stalled sessions, and the parked ones',
    folder,
  )
    .addHelpText('after', formatExamples('pawl queue show', 'pawl queue show --json | jq .parked'))
    .action(async (options: QueueFlags) => {
      const { showQueue } = await import('./commands/queue.ts');
      exit(await showQueue(options, io));
    });
  addRedisCommand(queue, 'retry', 'Retry a parked session', folder)
    .argument('<session>', sessionArgumentHelp)
    .addHelpText('after', formatExamples('pawl queue retry 3f2a'))
    .action(async (argumentText: string, options: QueueFlags) => {
      const { retryParkedSession } = await import('./commands/queue.ts');
      exit(await retryParkedSession(argumentText, options, io));
    });
  addRedisCommand(queue, 'drop', 'Remove a session from the queue; it stays in the store', folder)
    .argument('<session>', sessionArgumentHelp)
    .addHelpText('after', formatExamples('pawl queue drop 3f2a'))
    .action(async (argumentText: string, options: QueueFlags) => {
      const { dropQueuedSession } = await import('./commands/queue.ts');
      exit(await dropQueuedSession(argumentText, options, io));
    });
  addTenantCommands(queue, { io, exit });
  addSendCommands(queue, { io, exit });
}

function addTenantCommands(queue: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  const folder = 'folder whose configuration applies';
  addRedisCommand(queue, 'limit', 'Set the concurrency and rate limits of a tenant', folder)
    .argument('<tenant>', 'tenant to limit')
    .option('--concurrency <n>', 'maximum number of concurrent sessions on all workers together; or "none"')
    .option('--rate <n/span>', 'maximum number of sessions started per time span: 5/s, 100/1h; or "none"')
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
  addRedisCommand(queue, 'schedules', 'List the schedules and their next run', folder)
    .addHelpText('after', formatExamples('pawl queue schedules', 'pawl queue schedules --json'))
    .action(async (options: QueueFlags) => {
      const { listSchedules } = await import('./commands/schedules.ts');
      exit(await listSchedules(options, io));
    });
  addRedisCommand(queue, 'unschedule', 'Remove a schedule; sessions that it started continue', folder)
    .argument('<name>', 'name of the schedule')
    .option('--tenant <name>', 'tenant of the schedule, if several tenants have one of that name')
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
  readonly command: (argumentText: string, options: QueueSendFlags) => SessionCommand;
}[] = [
  {
    name: 'say',
    description: 'Send a message to a session',
    argument: ['<text>', 'text of the message'],
    example: '3f2a "Leave the tests alone"',
    command: (text) => ({ kind: 'say', text }),
  },
  {
    name: 'allow',
    description: 'Allow a pending tool call',
    argument: ['<call>', 'id of the call, as shown by pawl show'],
    example: '3f2a call_1',
    command: (callId) => ({ kind: 'decide', callId, decision: 'allow' }),
  },
  {
    name: 'deny',
    description: 'Deny a pending tool call',
    argument: ['<call>', 'id of the call, as shown by pawl show'],
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
    description: 'Cancel the current turn of a session',
    argument: null,
    example: '3f2a',
    command: (_, { reason }) => ({ kind: 'cancel', ...(reason !== undefined && { reason }) }),
  },
  {
    name: 'finish',
    description: 'Request the final answer of a session',
    argument: null,
    example: 'last --reason "it is late"',
    command: (_, { reason = 'the user asked for it' }) => ({ kind: 'finish', reason }),
  },
  {
    name: 'halt',
    description: 'Close a session permanently',
    argument: null,
    example: '3f2a',
    command: (_, { reason = 'the user asked for it' }) => ({ kind: 'halt', reason }),
  },
];

function addSendCommands(queue: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  const folder = 'folder whose sessions "last" refers to';
  for (const { name, description, argument, example, command: createCommand } of sendCommandDefinitions) {
    const added = addRedisCommand(queue, name, description, folder)
      .argument('<session>', sessionArgumentHelp)
      .option('--reason <text>', 'reason for the command');
    if (argument !== null) added.argument(...argument);
    added.addHelpText('after', formatExamples(`pawl queue ${name} ${example}`));
    added.action(async (session: string, ...rest: unknown[]) => {
      const argumentText = argument === null ? '' : String(rest[0]);
      const options = (argument === null ? rest[0] : rest[1]) as QueueSendFlags;
      const { sendQueueCommand } = await import('./commands/queue-send.ts');
      exit(await sendQueueCommand(session, createCommand(argumentText, options), options, io));
    });
  }
}
