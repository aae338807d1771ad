import type { Command } from 'commander';
import type { SessionCommand } from '@pawl/runtime';
import {
  formatExamples,
  addRedisOptions,
  sessionArgumentHelp,
  type CommandContext,
} from '../../options/command-options.ts';
import type { TenantLimitFlags } from './limits.ts';
import type { QueueFlags } from '../../queue/queue-connection.ts';

/** Adds a subcommand with the options that select a Redis. */
function addQueueCommand(queue: Command, name: string, description: string, folderHelp: string): Command {
  return addRedisOptions(
    queue.command(name, { isDefault: name === 'show' }).description(description),
    folderHelp,
  );
}

/** Defines `pawl queue` and its subcommands. */
export function defineQueueCommand(queue: Command, { io, exit }: CommandContext): void {
  const folder = 'folder whose sessions "last" refers to';
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
  addSendCommands(queue, { io, exit });
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
      const { setTenantLimits } = await import('./limits.ts');
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
    const added = addQueueCommand(queue, name, description, folder)
      .argument('<session>', sessionArgumentHelp)
      .option('--reason <text>', 'reason for the command');
    if (argument !== null) added.argument(...argument);
    added.addHelpText('after', formatExamples(`pawl queue ${name} ${example}`));
    added.action(async (session: string, ...rest: unknown[]) => {
      const argumentText = argument === null ? '' : String(rest[0]);
      const options = (argument === null ? rest[0] : rest[1]) as QueueSendFlags;
      const { sendQueueCommand } = await import('./send.ts');
      exit(await sendQueueCommand(session, createCommand(argumentText, options), options, io));
    });
  }
}
