import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

/** Defines `pawl demo`. */
export function defineDemoCommand(command: Command, { io, exit }: CommandContext): void {
  command
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${formatExamples('pawl demo', 'pawl demo --json | jq .withPawl.tokens')}\n\nA scripted model repeats an edit that fails. The loop, the tools, the governor and the store are real; tokens are\nestimated from the text of each request and reply. Nothing is kept.`,
    )
    .action(async (options: { json?: true }) => {
      const { runDemo } = await import('./action.ts');
      exit(await runDemo(options, io));
    });
}
