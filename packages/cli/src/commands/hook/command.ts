import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

const maxToolCallsHelp = 'tool calls since the last user message after which the final answer is requested';

type HookCommandFlags = { readonly maxToolCalls?: string };

/** Defines `pawl hook` and its subcommands. */
export function defineHookCommand(command: Command, { io, exit }: CommandContext): void {
  const hook = command
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', formatExamples('pawl hook install claude', 'pawl hook remove claude'));
  for (const [name, title] of [
    ['claude', 'Claude Code'],
    ['codex', 'Codex'],
    ['gemini', 'Gemini CLI'],
  ] as const) {
    hook
      .command(name)
      .description(`Answer one hook event of ${title} from standard input`)
      .option('--max-tool-calls <n>', maxToolCallsHelp)
      .addHelpText('after', formatExamples(`pawl hook ${name} < event.json`))
      .action(async (options: HookCommandFlags) => {
        const commands = await import('./action.ts');
        exit(await commands.runHook(name, options, io));
      });
  }
  addHookChangeCommands(hook, { io, exit });
}

type HookChangeFlags = HookCommandFlags & {
  readonly project?: string;
  readonly yes?: true;
  readonly json?: true;
};

function addHookChangeCommands(hook: Command, { io, exit }: Pick<CommandContext, 'io' | 'exit'>): void {
  hook
    .command('install')
    .description('Install the hooks in the settings of an agent, after showing the change')
    .argument('<agent>', 'claude, codex or gemini')
    .option('--project <folder>', 'project to change instead of the user settings')
    .option('--max-tool-calls <n>', maxToolCallsHelp)
    .option('-y, --yes', 'skip the confirmation')
    .option('--json', 'print the result as one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl hook install claude',
        'pawl hook install gemini --project . --max-tool-calls 200 --yes',
      ),
    )
    .action(async (agent: string, options: HookChangeFlags) => {
      const { installHostHook } = await import('./action.ts');
      exit(await installHostHook(agent, options, io));
    });
  hook
    .command('remove')
    .description('Remove the installed hooks from the settings of an agent')
    .argument('<agent>', 'claude, codex or gemini')
    .option('--project <folder>', 'project to change instead of the user settings')
    .option('-y, --yes', 'skip the confirmation')
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', formatExamples('pawl hook remove claude', 'pawl hook remove codex --yes'))
    .action(async (agent: string, options: HookChangeFlags) => {
      const { removeHostHook } = await import('./action.ts');
      exit(await removeHostHook(agent, options, io));
    });
}
