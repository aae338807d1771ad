import type { Command } from 'commander';
import {
  formatExamples,
  addRedisOptions,
  sessionArgumentHelp,
  type CommandContext,
} from '../../options/command-options.ts';
import type { TenantLimitFlags } from './action.ts';
import type { QueueFlags } from '../../queue/queue-connection.ts';

const sessionFolderHelp = 'folder whose sessions "last" refers to';

/** Adds a subcommand with the options that select a Redis. */
function addQueueCommand(queue: Command, name: string, description: string, folderHelp: string): Command {
  return addRedisOptions(
    queue.command(name, { isDefault: name === 'show' }).description(description),
    folderHelp,
  );
}

/** Defines `pawl queue` and its subcommands. */
export function defineQueueCommand(queue: Command, { io, exit }: CommandContext): void {
  const folder = sessionFolderHelp;
  addQueueCommand(
    queue,
    'show',
    'Show the number of waiting, active and stalled sessions, and the parked ones',
    folder,
  )
    .addHelpText('after', formatExamples('pawl queue show', 'pawl queue show --json | jq .parked'))
    .action(async (options: QueueFlags) => {
      const { showQueue } = await import('./action.ts');
      exit(await showQueue(options, io));
    });
  addQueueCommand(queue, 'retry', 'Retry a parked session', folder)
    .argument('<session>', sessionArgumentHelp)
    .addHelpText('after', formatExamples('pawl queue retry 3f2a'))
    .action(async (argumentText: string, options: QueueFlags) => {
      const { retryParkedSession } = await import('./action.ts');
      exit(await retryParkedSession(argumentText, options, io));
    });
  addQueueCommand(queue, 'drop', 'Remove a session from the queue; it stays in the store', folder)
    .argument('<session>', sessionArgumentHelp)
    .addHelpText('after', formatExamples('pawl queue drop 3f2a'))
    .action(async (argumentText: string, options: QueueFlags) => {
      const { dropQueuedSession } = await import('./action.ts');
      exit(await dropQueuedSession(argumentText, options, io));
    });
  addTenantCommands(queue, { io, exit });
  addTellAliases(queue, { io, exit });
}

function addTenantCommands(queue: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  const folder = 'folder whose configuration applies';
  addQueueCommand(queue, 'limit', 'Set the concurrency and rate limits of a tenant', folder)
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
      const { setTenantLimits } = await import('./action.ts');
      exit(await setTenantLimits(tenant, options, io));
    });
  addQueueCommand(queue, 'schedules', 'List the schedules and their next run', folder)
    .addHelpText('after', formatExamples('pawl queue schedules', 'pawl queue schedules --json'))
    .action(async (options: QueueFlags) => {
      const { listSchedules } = await import('../../queue/schedules.ts');
      exit(await listSchedules(options, io));
    });
  addQueueCommand(queue, 'unschedule', 'Remove a schedule; sessions that it started continue', folder)
    .argument('<name>', 'name of the schedule')
    .option('--tenant <name>', 'tenant of the schedule, if several tenants have one of that name')
    .addHelpText('after', formatExamples('pawl queue unschedule nightly'))
    .action(async (name: string, options: QueueFlags & { readonly tenant?: string }) => {
      const { removeSchedule } = await import('../../queue/schedules.ts');
      exit(await removeSchedule(name, options, io));
    });
}

/** The earlier spelling of some commands of `pawl tell`, with their argument. */
const tellAliases: readonly { readonly name: string; readonly argument: string | null }[] = [
  { name: 'say', argument: '<text>' },
  { name: 'allow', argument: '<call>' },
  { name: 'deny', argument: '<call>' },
  { name: 'cancel', argument: null },
  { name: 'finish', argument: null },
  { name: 'halt', argument: null },
];

type TellAliasFlags = QueueFlags & { readonly reason?: string };

/** Adds `pawl queue say SESSION TEXT` and so on: hidden, and the same as `pawl tell SESSION say TEXT` in Redis. */
function addTellAliases(queue: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  for (const { name, argument } of tellAliases) {
    const command = queue
      .command(name, { hidden: true })
      .description(`Same as pawl tell SESSION ${name}`)
      .argument('<session>', sessionArgumentHelp)
      .option('--reason <text>', 'reason for the command');
    if (argument !== null) command.argument(argument, 'same as for pawl tell');
    addRedisOptions(command, sessionFolderHelp)
      .addHelpText(
        'after',
        formatExamples(`pawl queue ${name} 3f2a${argument === null ? '' : ` ${argument}`}`),
      )
      .action(async () => {
        const [session = '', ...words] = command.args;
        const flags = command.opts<TellAliasFlags>();
        const { resolveRedisUrl } = await import('../../queue/queue-connection.ts');
        const { sendSessionCommand } = await import('../tell/action.ts');
        const store = await resolveRedisUrl(flags);
        exit(await sendSessionCommand(session, { what: name, words }, { ...flags, store }, io));
      });
  }
}
