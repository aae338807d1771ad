import type { Command } from 'commander';
import { formatExamples, type CommandContext, modeHelp } from './options/command-options.ts';

/** Adds the commands that set up Pawl and show its setup. */
export function addSetupCommands(program: Command, context: CommandContext): void {
  addProfilesCommands(program, context);
  addInitCommand(program, context);
  addConfigCommands(program, context);
  addDoctorCommand(program, context);
  addCompletionCommand(program, context);
}

/** Adds a command that only groups subcommands. */
function addCommandGroup(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .helpCommand('help [command]', 'Show help for a command');
}

function addProfilesCommands(program: Command, { io, exit }: CommandContext): void {
  const profiles = addCommandGroup(program, 'profiles', 'List and show profiles').addHelpText(
    'after',
    formatExamples('pawl profiles', 'pawl profiles show savant'),
  );
  profiles
    .command('list', { isDefault: true })
    .description('List the built-in profiles')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', formatExamples('pawl profiles list', 'pawl profiles --json'))
    .action(async (options: { json?: true }) => {
      const { listProfiles } = await import('./commands/profiles/action.ts');
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
      const { showProfile } = await import('./commands/profiles/action.ts');
      exit(await showProfile(name, options, io));
    });
}

type InitCommandFlags = {
  readonly dir: string;
  readonly model?: string;
  readonly profile?: string;
  readonly mode?: string;
  readonly testCommand?: string;
  readonly format?: string;
  readonly yes?: true;
  readonly json?: true;
};

function addInitCommand(program: Command, { io, exit }: CommandContext): void {
  program
    .command('init')
    .description('Create a commented configuration file for a folder')
    .option('-d, --dir <folder>', 'folder', '.')
    .option('-m, --model <spec>', 'model, such as librarian or ollama:MODEL')
    .option('-p, --profile <name>', 'profile name or file')
    .option('--mode <mode>', modeHelp)
    .option('--test-command <line>', 'command line that runs the tests')
    .option('-f, --format <name>', 'file format: yaml, json, ts')
    .option('-y, --yes', 'skip the questions and use the defaults')
    .option('--json', 'skip the questions and print the result as one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl init',
        'pawl init --yes --model ollama:qwen3 --mode auto-edit',
        'pawl init --dir ~/project --format json --yes',
      ),
    )
    .action(async (options: InitCommandFlags) => {
      const { initProject } = await import('./commands/init/action.ts');
      exit(await initProject(options, io));
    });
}

type ShowConfigFlags = {
  readonly dir: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly profile?: string;
  readonly mode?: string;
  readonly store?: string;
  readonly json?: true;
};

function addConfigCommands(program: Command, { io, exit }: CommandContext): void {
  const config = addCommandGroup(program, 'config', 'Show, locate and check the configuration').addHelpText(
    'after',
    formatExamples('pawl config show', 'pawl config check pawl.config.yaml'),
  );
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
      const { showConfig } = await import('./commands/config/show.ts');
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
      const { showConfigPaths } = await import('./commands/config/files.ts');
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
      const { checkConfig } = await import('./commands/config/files.ts');
      exit(await checkConfig(file, options, io));
    });
}

function addDoctorCommand(program: Command, { io, exit }: CommandContext): void {
  program
    .command('doctor')
    .description('Check this machine for the programs and settings that Pawl needs')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${formatExamples('pawl doctor', 'pawl doctor --json | jq .ok')}\n\nThe exit code is 1 if a requirement is missing.`,
    )
    .action(async (options: { json?: true }) => {
      const { runDoctor } = await import('./commands/doctor/action.ts');
      exit(await runDoctor(options, io));
    });
}

function addCompletionCommand(program: Command, { io, exit }: CommandContext): void {
  program
    .command('completion')
    .description('Print a shell completion script')
    .argument('<shell>', 'bash, zsh, fish, or "sessions" for the session ids of this folder, one per line')
    .addHelpText(
      'after',
      formatExamples(
        'source <(pawl completion bash)',
        'pawl completion zsh > ~/.zfunc/_pawl',
        'pawl completion fish > ~/.config/fish/completions/pawl.fish',
      ),
    )
    .action(async (shell: string) => {
      const { printCompletion } = await import('./commands/completion/action.ts');
      exit(await printCompletion(shell, program, io));
    });
}
