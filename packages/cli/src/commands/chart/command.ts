import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

type ChartFlags = {
  readonly format: string;
  readonly out?: string;
  readonly force?: true;
  readonly list?: true;
};

/** Defines `pawl chart`. */
export function defineChartCommand(command: Command, { io, exit }: CommandContext): void {
  command
    .argument('[name]', 'chart: turn, savant, lkj, lkj1, loop, or a .json or .yaml file with a mode chart')
    .option('-f, --format <name>', 'format: mermaid, svg, xstate, json', 'mermaid')
    .option('-o, --out <file>', 'output file (default: standard output)')
    .option('--force', 'overwrite the file if it exists')
    .option('-l, --list', 'list the built-in charts with their states')
    .addHelpText(
      'after',
      formatExamples(
        'pawl chart turn',
        'pawl chart savant --format svg --out savant.svg',
        'pawl chart my-modes.yaml --format xstate',
        'pawl chart lkj --format json > my-modes.json',
      ),
    )
    .action(async (name: string | undefined, options: ChartFlags) => {
      const { writeChart } = await import('./action.ts');
      exit(await writeChart(name, options, io));
    });
}
