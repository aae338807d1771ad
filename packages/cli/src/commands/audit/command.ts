import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';
import type { AuditOptions } from './action.ts';

/** Defines `pawl audit`. */
export function defineAuditCommand(command: Command, { io, signal, exit }: CommandContext): void {
  command
    .argument(
      '[file...]',
      'trace files or folders, or - for standard input (default: the sessions of the coding agents on this machine)',
    )
    .option('-f, --format <name>', 'output format: report, json, verdicts', 'report')
    .option('--preset <name>', 'rule preset: pawl, nexora, nexora-lenient, savant', 'pawl')
    .option('--price-in <price>', 'input price per 1M tokens')
    .option('--price-out <price>', 'output price per 1M tokens')
    .option('--only <runs>', 'runs to list: stuck')
    .option(
      '--top <n>',
      'how many runs to list, the most wasteful ones first: a number, or all (default: 10)',
    )
    .option('--html <file>', 'file to write an HTML report with plots and evidence to')
    .option('-q, --quiet', 'print only the totals and the table, without evidence, problems and progress')
    .option('--verbose', 'list every file that was skipped, and every problem')
    .option('--json', 'same as --format json')
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl audit',
        'pawl audit --html report.html',
        'pawl audit ~/.claude/projects',
        'pawl audit --price-in 3 --price-out 15 runs.jsonl.gz',
        'pawl audit --format json trajectory.traj | jq .totals',
        'pawl audit --preset nexora --only stuck --top all runs/',
        'zcat runs.jsonl.gz | pawl audit --quiet -',
      )}\n\nThe exit code is 3 if at least one run got stuck, otherwise 0.\ndocs/trace-formats.md lists the supported formats. Everything is read locally and nothing is changed.`,
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
