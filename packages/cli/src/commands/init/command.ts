import type { Command } from 'commander';
import { formatExamples, modeHelp, type CommandContext } from '../../options/command-options.ts';

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

/** Defines `pawl init`. */
export function defineInitCommand(command: Command, { io, exit }: CommandContext): void {
  command
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
      const { initProject } = await import('./action.ts');
      exit(await initProject(options, io));
    });
}
