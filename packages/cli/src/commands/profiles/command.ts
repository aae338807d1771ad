import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

/** Defines `pawl profiles` and its subcommands. */
export function defineProfilesCommand(command: Command, { io, exit }: CommandContext): void {
  const profiles = command
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', formatExamples('pawl profiles', 'pawl profiles show savant'));
  profiles
    .command('list', { isDefault: true })
    .description('List the built-in profiles')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', formatExamples('pawl profiles list', 'pawl profiles --json'))
    .action(async (options: { json?: true }) => {
      const { listProfiles } = await import('./action.ts');
      exit(listProfiles(options, io));
    });
  profiles
    .command('show')
    .description('Show all settings of a profile')
    .argument('<name>', 'name of a built-in profile, or a .json or .yaml file')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('pawl profiles show savant', 'pawl profiles show ./reviewer.yaml --json'),
    )
    .action(async (name: string, options: { json?: true }) => {
      const { showProfile } = await import('./action.ts');
      exit(await showProfile(name, options, io));
    });
}
