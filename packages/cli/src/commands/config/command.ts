import type { Command } from 'commander';
import { formatExamples, modeHelp, type CommandContext } from '../../options/command-options.ts';

type ShowConfigFlags = {
  readonly dir: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly profile?: string;
  readonly mode?: string;
  readonly store?: string;
  readonly json?: true;
};

/** Defines `pawl config` and its subcommands. */
export function defineConfigCommand(command: Command, { io, exit }: CommandContext): void {
  const config = command
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', formatExamples('pawl config show', 'pawl config check pawl.config.yaml'));
  config
    .command('show')
    .description('Show the effective configuration of a folder and the source of each value')
    .option('-d, --dir <folder>', 'folder', '.')
    .option('-m, --model <spec>', 'model, as if given to pawl run; also applies to the next four options')
    .option('--base-url <url>', 'base URL of an openai-compatible model')
    .option('-p, --profile <name>', 'profile name or file')
    .option('--mode <mode>', modeHelp)
    .option('--store <where>', 'session store: user, workspace, none, or a file')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl config show', 'PAWL_MODE=read-only pawl config show --json'))
    .action(async (options: ShowConfigFlags) => {
      const { showConfig } = await import('./show.ts');
      exit(await showConfig(options, io));
    });
  addConfigFileCommands(config, { io, exit });
}

type ConfigFileFlags = { readonly dir: string; readonly json?: true };

function addConfigFileCommands(config: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  config
    .command('path')
    .description('Show the paths of the user and folder configuration files')
    .option('-d, --dir <folder>', 'folder', '.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl config path', 'pawl config path --json | jq -r .user.path'))
    .action(async (options: ConfigFileFlags) => {
      const { showConfigPaths } = await import('./files.ts');
      exit(await showConfigPaths(options, io));
    });
  config
    .command('check')
    .description("Validate a configuration file, or the user's and the folder's configuration")
    .argument('[file]', 'file to validate')
    .option('-d, --dir <folder>', 'folder', '.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl config check', 'pawl config check pawl.config.yaml --json'))
    .action(async (file: string | undefined, options: ConfigFileFlags) => {
      const { checkConfig } = await import('./files.ts');
      exit(await checkConfig(file, options, io));
    });
}
