import type { Command } from 'commander';
import type { BudgetFlags } from './commands/budget-options.ts';
import { storeHelp } from './store-help.ts';
import { formatExamples, type CommandContext, addBudgetOptions } from './program-parts.ts';

/** Adds the commands that govern third-party agents. */
export function addGovernorCommands(program: Command, setting: CommandContext): void {
  addHookCommand(program, setting);
  addProxyCommand(program, setting);
  addMcpCommand(program, setting);
}

const maxToolCallsHelp = 'ask for an answer after this many tool calls since the user last spoke';

type HookCommandFlags = { readonly maxToolCalls?: string };

function addHookCommand(program: Command, { io, exit }: CommandContext): void {
  const hook = program
    .command('hook')
    .description('govern Claude Code, Codex or Gemini CLI through their hooks')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', formatExamples('pawl hook install claude', 'pawl hook remove claude'));
  for (const [name, title] of [
    ['claude', 'Claude Code'],
    ['codex', 'Codex'],
    ['gemini', 'Gemini CLI'],
  ] as const) {
    hook
      .command(name)
      .description(`answer one event that ${title} sends on standard input`)
      .option('--max-tool-calls <n>', maxToolCallsHelp)
      .addHelpText('after', formatExamples(`pawl hook ${name} < event.json`))
      .action(async (options: HookCommandFlags) => {
        const commands = await import('./commands/hook.ts');
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
    .description('add the hooks to the settings of an agent, after showing them')
    .argument('<agent>', 'claude, codex or gemini')
    .option('--project <folder>', 'for one project instead of all of yours')
    .option('--max-tool-calls <n>', maxToolCallsHelp)
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print what was done as one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl hook install claude',
        'pawl hook install gemini --project . --max-tool-calls 200 --yes',
      ),
    )
    .action(async (agent: string, options: HookChangeFlags) => {
      const { installHostHook } = await import('./commands/hook.ts');
      exit(await installHostHook(agent, options, io));
    });
  hook
    .command('remove')
    .description('remove from the settings of an agent what install added, and nothing else')
    .argument('<agent>', 'claude, codex or gemini')
    .option('--project <folder>', 'for one project instead of all of yours')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print what was done as one JSON object')
    .addHelpText('after', formatExamples('pawl hook remove claude', 'pawl hook remove codex --yes'))
    .action(async (agent: string, options: HookChangeFlags) => {
      const { removeHostHook } = await import('./commands/hook.ts');
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
    .description('govern any agent in any language: a proxy on this machine between it and its model')
    .option('--upstream <url>', 'where the model is served, such as https://api.openai.com (required)')
    .option('--port <n>', 'the port to listen on; 0 for any that is free', '4141')
    .option('-d, --dir <folder>', 'the folder among whose sessions the conversations are listed', '.')
    .option('--store <where>', storeHelp);
  addBudgetOptions(command, { withCost: false })
    .option('-q, --quiet', 'do not tell what is found')
    .option('--json', 'print one JSON object a line: where it listens, and what it finds')
    .addHelpText(
      'after',
      formatExamples(
        'pawl proxy --upstream https://api.openai.com',
        'OPENAI_BASE_URL=http://127.0.0.1:4141/v1 your-agent',
        'pawl proxy --upstream https://api.anthropic.com --max-steps 100',
      ),
    )
    .action(async (options: ProxyFlags) => {
      const { runProxy } = await import('./commands/proxy.ts');
      exit(await runProxy({ ...options, signal }, io));
    });
}

type McpFlags = { readonly dir: string; readonly storage?: string };

function addMcpCommand(program: Command, { io, signal, exit }: CommandContext): void {
  program
    .command('mcp')
    .description('offer the governor and a memory to any MCP client, over standard input and output')
    .option('-d, --dir <folder>', 'the folder whose memory is offered', '.')
    .option('--storage <file>', 'another memory instead: an SQLite file, made if need be')
    .addHelpText('after', formatExamples('pawl mcp', 'claude mcp add pawl -- pawl mcp'))
    .action(async (options: McpFlags) => {
      const { serveMcp } = await import('./commands/mcp.ts');
      exit(await serveMcp({ ...options, signal }, io));
    });
}
