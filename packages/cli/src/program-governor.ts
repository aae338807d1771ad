import type { Command } from 'commander';
import type { BudgetFlags } from './options/budget-options.ts';
import { storeHelp } from './options/store-help.ts';
import { formatExamples, type CommandContext, addBudgetOptions } from './options/command-options.ts';

/** Adds the commands that govern third-party agents. */
export function addGovernorCommands(program: Command, context: CommandContext): void {
  addHookCommand(program, context);
  addProxyCommand(program, context);
  addMcpCommand(program, context);
}

const maxToolCallsHelp = 'tool calls since the last user message after which the final answer is requested';

type HookCommandFlags = { readonly maxToolCalls?: string };

function addHookCommand(program: Command, { io, exit }: CommandContext): void {
  const hook = program
    .command('hook')
    .description('Govern Claude Code, Codex or Gemini CLI through their hooks')
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
        const commands = await import('./commands/hook/action.ts');
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
      const { installHostHook } = await import('./commands/hook/action.ts');
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
      const { removeHostHook } = await import('./commands/hook/action.ts');
      exit(await removeHostHook(agent, options, io));
    });
}

type ProxyFlags = BudgetFlags & {
  readonly upstream?: string;
  readonly port: string;
  readonly dir: string;
  readonly store?: string;
  readonly quiet?: true;
  readonly json?: true;
};

function addProxyCommand(program: Command, { io, signal, exit }: CommandContext): void {
  const command = program
    .command('proxy')
    .description('Govern any agent through a local proxy between it and its model')
    .option('--upstream <url>', 'base URL of the model API, such as https://api.openai.com (required)')
    .option('--port <n>', 'port to listen on; 0 for any free port', '4141')
    .option('-d, --dir <folder>', 'folder that the recorded sessions belong to', '.')
    .option('--store <where>', storeHelp);
  addBudgetOptions(command, { withCost: false })
    .option('-q, --quiet', 'print no verdicts')
    .option('--json', 'print one JSON object per line: the address, then the verdicts')
    .addHelpText(
      'after',
      formatExamples(
        'pawl proxy --upstream https://api.openai.com',
        'OPENAI_BASE_URL=http://127.0.0.1:4141/v1 your-agent',
        'pawl proxy --upstream https://api.anthropic.com --max-steps 100',
      ),
    )
    .action(async (options: ProxyFlags) => {
      const { runProxy } = await import('./commands/proxy/action.ts');
      exit(await runProxy({ ...options, signal }, io));
    });
}

type McpFlags = { readonly dir: string; readonly storage?: string };

function addMcpCommand(program: Command, { io, signal, exit }: CommandContext): void {
  program
    .command('mcp')
    .description('Serve the governor and a memory to an MCP client over standard input and output')
    .option('-d, --dir <folder>', 'folder whose memory is served', '.')
    .option('--storage <file>', 'SQLite file to use as the memory instead; created if missing')
    .addHelpText('after', formatExamples('pawl mcp', 'claude mcp add pawl -- pawl mcp'))
    .action(async (options: McpFlags) => {
      const { serveMcp } = await import('./commands/mcp/action.ts');
      exit(await serveMcp({ ...options, signal }, io));
    });
}
