import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';
import type { AuditOptions } from './action.ts';

/** Defines `pawl audit`. */
export function defineAuditCommand(command: Command, { io, signal, exit }: CommandContext): void {
  command
    .argument(
      '<file...>',
      'trace files or folders, or - for standard input; docs/trace-formats.md lists the formats',
    )
    .option('-f, --format <name>', 'output format: report, json, verdicts', 'report')
    .option('--preset <name>', 'rule preset: pawl, nexora, nexora-lenient, savant', 'pawl')
    .option('--price-in <price>', 'input price per 1M tokens')
    .option('--price-out <price>', 'output price per 1M tokens')
    .option('-q, --quiet', 'print only the table and the totals, without evidence, problems and progress')
    .option('--json', 'same as --format json')
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl audit ~/.claude/projects',
        'pawl audit --price-in 3 --price-out 15 runs.jsonl.gz',
        'pawl audit --format json trajectory.traj | jq .totals',
        'pawl audit --preset nexora runs/',
        'zcat runs.jsonl.gz | pawl audit --quiet -',
      )}\n\nThe exit code is 3 if at least one run got stuck, otherwise 0.`,
    )
    .action(
      async (
        files: string[],
        { json, ...options }: Omit<AuditOptions, 'signal'> & { readonly json?: true },
      ) => {
        const { auditFiles } = await import('./action.ts');
        const format = json === true ? 'json' : options.format;
        exit(await auditFiles(files, { ...options, format, signal }, io));
      },
    );
}
