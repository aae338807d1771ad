import type { Command } from 'commander';
import { formatExamples, type CommandContext, modeHelp } from './program-parts.ts';

/** Adds the commands that set up Pawl and show its setup. */
export function addSetupCommands(program: Command, setting: CommandContext): void {
  addProfilesCommands(program, setting);
  addInitCommand(program, setting);
  addConfigCommands(program, setting);
  addDoctorCommand(program, setting);
  addCompletionCommand(program, setting);
}

/** Adds a command that only groups subcommands. */
function addCommandGroup(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .helpCommand('help [command]', 'show the help of a command');
}

function addProfilesCommands(program: Command, { io, exit }: CommandContext): void {
  const profiles = addCommandGroup(
    program,
    'profiles',
    'show which profiles there are, and what each decides',
  ).addHelpText('after', formatExamples('pawl profiles', 'pawl profiles show savant'));
  profiles
    .command('list', { isDefault: true })
    .description('list the profiles that are built in')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', formatExamples('pawl profiles list', 'pawl profiles --json'))
    .action(async (options: { json?: true }) => {
      const { listProfiles } = await import('./commands/profiles.ts');
      exit(listProfiles(options, io));
    });
  profiles
    .command('show')
    .description('show everything that a profile decides')
    .argument('<name>', 'the name of one that is built in, or a .json or .yaml file')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('pawl profiles show savant', 'pawl profiles show ./reviewer.yaml --json'),
    )
    .action(async (name: string, options: { json?: true }) => {
      const { showProfile } = await import('./commands/profiles.ts');
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
    .description('write a commented configuration for a folder, after a few questions')
    .option('-d, --dir <folder>', 'the folder', '.')
    .option('-m, --model <spec>', 'the model, such as librarian or ollama:MODEL')
    .option('-p, --profile <name>', 'how the machine behaves')
    .option('--mode <mode>', modeHelp)
    .option('--test-command <line>', 'the command line that runs the tests')
    .option('-f, --format <name>', 'the format of the file: yaml, json, ts')
    .option('-y, --yes', 'do not ask; take the default for whatever is not given')
    .option('--json', 'do not ask, and print what was written as one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl init',
        'pawl init --yes --model ollama:qwen3 --mode auto-edit',
        'pawl init --dir ~/project --format json --yes',
      ),
    )
    .action(async (options: InitCommandFlags) => {
      const { initProject } = await import('./commands/init.ts');
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
  const config = addCommandGroup(
    program,
    'config',
    'show what is set, where, and whether it can be used',
  ).addHelpText('after', formatExamples('pawl config show', 'pawl config check pawl.config.yaml'));
  config
    .command('show')
    .description('show the values that hold in a folder, and where each comes from')
    .option('-d, --dir <folder>', 'the folder', '.')
    .option('-m, --model <spec>', 'as if given on the command line; the same goes for the next four')
    .option('--base-url <url>', 'where an openai-compatible model is served')
    .option('-p, --profile <name>', 'how the machine behaves')
    .option('--mode <mode>', modeHelp)
    .option('--store <where>', 'where sessions are kept: user, workspace, none, or a file')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl config show', 'PAWL_MODE=read-only pawl config show --json'))
    .action(async (options: ShowConfigFlags) => {
      const { showConfig } = await import('./commands/config.ts');
      exit(await showConfig(options, io));
    });
  addConfigFileCommands(config, { io, exit });
}

type ConfigFileFlags = { readonly dir: string; readonly json?: true };

function addConfigFileCommands(config: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  config
    .command('path')
    .description('show where the configuration of the user and that of a folder are, or would be')
    .option('-d, --dir <folder>', 'the folder', '.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl config path', 'pawl config path --json | jq -r .user.path'))
    .action(async (options: ConfigFileFlags) => {
      const { showConfigPaths } = await import('./commands/config-files.ts');
      exit(await showConfigPaths(options, io));
    });
  config
    .command('check')
    .description("check a configuration: a file, or else the user's and the folder's")
    .argument('[file]', 'the file to check')
    .option('-d, --dir <folder>', 'the folder', '.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl config check', 'pawl config check pawl.config.yaml --json'))
    .action(async (file: string | undefined, options: ConfigFileFlags) => {
      const { checkConfig } = await import('./commands/config-files.ts');
      exit(await checkConfig(file, options, io));
    });
}

function addDoctorCommand(program: Command, { io, exit }: CommandContext): void {
  program
    .command('doctor')
    .description('look at this machine: what is there, what is missing, and what to do about it')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${formatExamples('pawl doctor', 'pawl doctor --json | jq .ok')}\n\nThe exit code is 1 when something that is needed is missing.`,
    )
    .action(async (options: { json?: true }) => {
      const { runDoctor } = await import('./commands/doctor.ts');
      exit(await runDoctor(options, io));
    });
}

function addCompletionCommand(program: Command, { io, exit }: CommandContext): void {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands, flags and names')
    .argument('<shell>', 'bash, zsh, fish, or "sessions": the ids of the sessions in this folder, one a line')
    .addHelpText(
      'after',
      formatExamples(
        'source <(pawl completion bash)',
        'pawl completion zsh > ~/.zfunc/_pawl',
        'pawl completion fish > ~/.config/fish/completions/pawl.fish',
      ),
    )
    .action(async (shell: string) => {
      const { printCompletion } = await import('./commands/completion.ts');
      exit(await printCompletion(shell, program, io));
    });
}
