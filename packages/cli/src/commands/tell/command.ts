import { formatNameSuggestion } from '@pawl/runtime/suggestions';
import { Argument, InvalidArgumentError, type Command } from 'commander';
import {
  formatExamples,
  sessionArgumentHelp,
  storeHelp,
  type CommandContext,
} from '../../options/command-options.ts';
import type { SessionCommandFlags } from './action.ts';
import { sessionCommands } from './session-commands.ts';

const commandNames = Object.keys(sessionCommands);

/** Defines `pawl tell`. */
export function defineTellCommand(command: Command, { io, exit }: CommandContext): void {
  command
    .argument('<session>', sessionArgumentHelp)
    .addArgument(
      new Argument('<what>', 'command to send').choices(commandNames).argParser((name: string) => {
        if (commandNames.includes(name)) return name;
        const hint = formatNameSuggestion(name, commandNames);
        throw new InvalidArgumentError(`${hint.trimStart()} Allowed choices are ${commandNames.join(', ')}.`);
      }),
    )
    .argument('[words...]', describeWords())
    .option('--reason <text>', 'reason for the command')
    .option('-d, --dir <folder>', 'folder whose sessions are used', '.')
    .option('--store <where>', storeHelp)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl tell last say "Leave the tests alone"',
        'pawl tell 3f2a allow',
        'pawl tell 3f2a deny call_1 --reason "not on a Friday"',
        'pawl tell last phase 2 "Write the tests"',
        'pawl tell last evict old_notes',
      ),
    )
    .action(async (session: string, what: string, words: string[], flags: SessionCommandFlags) => {
      const { sendSessionCommand } = await import('./action.ts');
      exit(await sendSessionCommand(session, { what, words }, flags, io));
    });
}

function describeWords(): string {
  const usages = Object.entries(sessionCommands).flatMap(([name, { usage }]) =>
    usage === '' ? [] : `${name} ${usage}`,
  );
  return `arguments of the command: ${usages.join(', ')}`;
}
