import type { Command } from 'commander';
import type { BudgetFlags } from '../../options/parse-options.ts';
import {
  formatExamples,
  addBudgetOptions,
  storeHelp,
  type CommandContext,
} from '../../options/command-options.ts';

type ProxyFlags = BudgetFlags & {
  readonly upstream?: string;
  readonly port: string;
  readonly dir: string;
  readonly store?: string;
  readonly completionTool?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly quiet?: true;
  readonly json?: true;
};

/** Defines `pawl proxy`. */
export function defineProxyCommand(command: Command, { io, signal, exit }: CommandContext): void {
  command
    .option('--upstream <url>', 'base URL of the model API, such as https://api.openai.com (required)')
    .option('--port <n>', 'port to listen on; 0 for any free port', '4141')
    .option('-d, --dir <folder>', 'folder that the recorded sessions belong to', '.')
    .option('--store <where>', storeHelp);
  addBudgetOptions(command, { withCost: false })
    .option(
      '--completion-tool <name>',
      'tool by which the agent ends its work, besides the known ones; may be repeated',
      appendValue,
    )
    .option(
      '--allow-origin <origin>',
      'origin whose requests are accepted, besides local ones; may be repeated',
      appendValue,
    )
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
      const { runProxy } = await import('./action.ts');
      exit(await runProxy({ ...options, signal }, io));
    });
}

/** Collects the values of an option that may be repeated. */
function appendValue(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
