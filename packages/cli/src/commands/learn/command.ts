import type { Command } from 'commander';
import {
  formatExamples,
  addSessionOptions,
  type CommandContext,
  type SessionCommandOptions,
} from '../../options/command-options.ts';

type LearnFlags = SessionCommandOptions & {
  readonly all?: true;
  readonly labels?: string;
  readonly profile?: string;
  readonly write?: string;
  readonly apply?: true;
  readonly force?: true;
};

/** Defines `pawl learn`. */
export function defineLearnCommand(command: Command, { io, signal, exit }: CommandContext): void {
  addSessionOptions(command)
    .argument('[traces...]', 'additional recorded runs: files, folders, or - for standard input')
    .option('-a, --all', 'include the sessions of all folders')
    .option('--labels <file>', 'outcomes of runs, one JSON object per line: {"run": "ID", "resolved": true}')
    .option(
      '--profile <profile>',
      'profile whose thresholds are the baseline (default: the profile of this folder)',
    )
    .option('--write <file>', 'file to write the proposed profile to, if there is one')
    .option('--apply', 'write the proposed profile to this folder and use it there')
    .option('--force', 'overwrite the file if it exists')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl learn',
        'pawl learn runs/ --labels outcomes.jsonl',
        'pawl learn runs/ --write learned.yaml && pawl run --profile learned.yaml "…"',
      ),
    )
    .action(async (traces: readonly string[], options: LearnFlags) => {
      const { runLearn } = await import('./action.ts');
      exit(await runLearn(traces, { ...options, signal }, io));
    });
}
