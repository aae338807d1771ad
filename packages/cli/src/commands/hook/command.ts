import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

const maxToolCallsHelp = 'tool calls since the last user message after which the final answer is requested';

/** The agents, named here because help texts must not load the gateway. */
const hookAgents = [
  ['claude', 'Claude Code'],
  ['codex', 'Codex'],
  ['gemini', 'Gemini CLI'],
  ['qwen', 'Qwen Code'],
  ['opencode', 'opencode'],
  ['copilot', 'GitHub Copilot CLI'],
  ['cursor', 'Cursor'],
  ['cline', 'Cline'],
] as const;

const agentNames = hookAgents.map(([name]) => name).join(', ');

type HookCommandFlags = { readonly maxToolCalls?: string };

/** Defines `pawl hook` and its subcommands. */
export function defineHookCommand(command: Command, { io, exit }: CommandContext): void {
  const hook = command
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', formatExamples('pawl hook install', 'pawl hook status', 'pawl hook remove claude'));
  for (const [name, title] of hookAgents) {
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
    .argument('[agent]', `${agentNames}; without it, every agent that is installed`)
    .option('--project <folder>', 'project to change instead of the user settings')
    .option('--max-tool-calls <n>', maxToolCallsHelp)
    .option('-y, --yes', 'skip the confirmations')
    .option('--json', 'print the result as one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl hook install',
        'pawl hook install claude',
        'pawl hook install gemini --project . --max-tool-calls 200 --yes',
      ),
    )
    .action(async (agent: string | undefined, options: HookChangeFlags) => {
      const { installDetectedHooks, installHostHook } = await import('./action.ts');
      exit(
        agent === undefined
          ? await installDetectedHooks(options, io)
          : await installHostHook(agent, options, io),
      );
    });
  hook
    .command('status')
    .description('Show which agents are governed, and what the governor did in the last seven days')
    .option('--project <folder>', 'project whose settings are shown too', '.')
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', formatExamples('pawl hook status', 'pawl hook status --json'))
    .action(async (options: Pick<HookChangeFlags, 'project' | 'json'>) => {
      const { showHookStatus } = await import('./action.ts');
      exit(showHookStatus(options, io));
    });
  hook
    .command('remove')
    .description('Remove the installed hooks from the settings of an agent')
    .argument('<agent>', agentNames)
    .option('--project <folder>', 'project to change instead of the user settings')
    .option('-y, --yes', 'skip the confirmation')
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', formatExamples('pawl hook remove claude', 'pawl hook remove codex --yes'))
    .action(async (agent: string, options: HookChangeFlags) => {
      const { removeHostHook } = await import('./action.ts');
      exit(await removeHostHook(agent, options, io));
    });
}
