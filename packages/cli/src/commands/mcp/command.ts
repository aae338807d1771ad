import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

type McpFlags = { readonly dir: string; readonly storage?: string };

/** Defines `pawl mcp`. */
export function defineMcpCommand(command: Command, { io, signal, exit }: CommandContext): void {
  command
    .option('-d, --dir <folder>', 'folder whose memory is served', '.')
    .option('--storage <file>', 'SQLite file to use as the memory instead; created if missing')
    .addHelpText('after', formatExamples('pawl mcp', 'claude mcp add pawl -- pawl mcp'))
    .action(async (options: McpFlags) => {
      const { serveMcp } = await import('./action.ts');
      exit(await serveMcp({ ...options, signal }, io));
    });
}
