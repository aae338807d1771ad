import type { Command } from 'commander';
import type { BudgetFlags } from './commands/budget-options.ts';
import { storeHelp } from './store-help.ts';
import { examples, type Setting, budgetOptions } from './program-parts.ts';

/** The commands that govern agents that people have already. */
export function addGovern(program: Command, setting: Setting): void {
  addHook(program, setting);
  addProxy(program, setting);
  addMcp(program, setting);
}

const callsHelp = 'ask for an answer after this many tool calls since the user last spoke';

type HookFlags = { readonly maxToolCalls?: string };

function addHook(program: Command, { io, exit }: Setting): void {
  const hook = program
    .command('hook')
    .description('govern Claude Code, Codex or Gemini CLI through their hooks')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', examples('pawl hook install claude', 'pawl hook remove claude'));
  for (const [name, title] of [
    ['claude', 'Claude Code'],
    ['codex', 'Codex'],
    ['gemini', 'Gemini CLI'],
  ] as const) {
    hook
      .command(name)
      .description(`answer one event that ${title} sends on standard input`)
      .option('--max-tool-calls <n>', callsHelp)
      .addHelpText('after', examples(`pawl hook ${name} < event.json`))
      .action(async (options: HookFlags) => {
        const commands = await import('./commands/hook.ts');
        exit(await commands.hook(name, options, io));
      });
  }
  addHookChanges(hook, { io, exit });
}

type HookChangeFlags = HookFlags & { readonly project?: string; readonly yes?: true; readonly json?: true };

function addHookChanges(hook: Command, { io, exit }: Pick<Setting, 'io' | 'exit'>): void {
  hook
    .command('install')
    .description('add the hooks to the settings of an agent, after showing them')
    .argument('<agent>', 'claude, codex or gemini')
    .option('--project <folder>', 'for one project instead of all of yours')
    .option('--max-tool-calls <n>', callsHelp)
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print what was done as one JSON object')
    .addHelpText(
      'after',
      examples('pawl hook install claude', 'pawl hook install gemini --project . --max-tool-calls 200 --yes'),
    )
    .action(async (agent: string, options: HookChangeFlags) => {
      const { install } = await import('./commands/hook.ts');
      exit(await install(agent, options, io));
    });
  hook
    .command('remove')
    .description('remove from the settings of an agent what install added, and nothing else')
    .argument('<agent>', 'claude, codex or gemini')
    .option('--project <folder>', 'for one project instead of all of yours')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print what was done as one JSON object')
    .addHelpText('after', examples('pawl hook remove claude', 'pawl hook remove codex --yes'))
    .action(async (agent: string, options: HookChangeFlags) => {
      const { remove } = await import('./commands/hook.ts');
      exit(await remove(agent, options, io));
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

function addProxy(program: Command, { io, signal, exit }: Setting): void {
  const command = program
    .command('proxy')
    .description('govern any agent in any language: a proxy on this machine between it and its model')
    .option('--upstream <url>', 'where the model is served, such as https://api.openai.com (required)')
    .option('--port <n>', 'the port to listen on; 0 for any that is free', '4141')
    .option('-d, --dir <folder>', 'the folder among whose sessions the conversations are listed', '.')
    .option('--store <where>', storeHelp);
  budgetOptions(command, { withCost: false })
    .option('-q, --quiet', 'do not tell what is found')
    .option('--json', 'print one JSON object a line: where it listens, and what it finds')
    .addHelpText(
      'after',
      examples(
        'pawl proxy --upstream https://api.openai.com',
        'OPENAI_BASE_URL=http://127.0.0.1:4141/v1 your-agent',
        'pawl proxy --upstream https://api.anthropic.com --max-steps 100',
      ),
    )
    .action(async (options: ProxyFlags) => {
      const { proxy } = await import('./commands/proxy.ts');
      exit(await proxy({ ...options, signal }, io));
    });
}

type McpFlags = { readonly dir: string; readonly storage?: string };

function addMcp(program: Command, { io, signal, exit }: Setting): void {
  program
    .command('mcp')
    .description('offer the governor and a memory to any MCP client, over standard input and output')
    .option('-d, --dir <folder>', 'the folder whose memory is offered', '.')
    .option('--storage <file>', 'another memory instead: an SQLite file, made if need be')
    .addHelpText('after', examples('pawl mcp', 'claude mcp add pawl -- pawl mcp'))
    .action(async (options: McpFlags) => {
      const { mcp } = await import('./commands/mcp.ts');
      exit(await mcp({ ...options, signal }, io));
    });
}
