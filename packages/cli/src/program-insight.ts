import type { Command } from 'commander';
import {
  formatExamples,
  addSessionCommand,
  type SessionCommandOptions,
  type CommandContext,
  sessionArgumentHelp,
} from './options/command-options.ts';

/** Adds the commands that learn from stored sessions: verdict feedback and statistics. */
export function addInsightCommands(program: Command, context: CommandContext): void {
  addVerdictCommand(program, context);
  addStatsCommand(program, context);
  addLearnCommand(program, context);
}

function addVerdictCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(
    program,
    'verdict',
    'Mark a verdict of the governor as right or wrong, or list the verdicts of a session',
  )
    .argument('<session>', sessionArgumentHelp)
    .argument('[mark]', 'right or wrong; if omitted, the verdicts are listed')
    .option('--rule <rule>', 'rule whose last verdict is marked (default: the last verdict of any rule)')
    .option('--event <n>', 'event whose verdict is marked')
    .option('--note <text>', 'explanation to store with the mark')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl verdict last',
        'pawl verdict last right',
        'pawl verdict 3f2a wrong --event 31 --note "the test was flaky"',
      ),
    )
    .action(
      async (
        sessionRef: string,
        mark: string | undefined,
        options: SessionCommandOptions & { rule?: string; event?: string; note?: string },
      ) => {
        const { runVerdict } = await import('./commands/verdict/action.ts');
        exit(await runVerdict(sessionRef, mark, options, io));
      },
    );
}

function addStatsCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addSessionCommand(
    program,
    'stats',
    'Show statistics about sessions: endings, cost, loops and verdict accuracy',
  )
    .option('-a, --all', 'include the sessions of all folders')
    .option('--html <file>', 'file to write an HTML report with plots to')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('pawl stats', 'pawl stats --html report.html', 'pawl stats --all --json | jq .accuracy'),
    )
    .action(async (options: SessionCommandOptions & { all?: true; html?: string }) => {
      const { showStats } = await import('./commands/stats/action.ts');
      exit(await showStats({ ...options, signal }, io));
    });
}

type LearnFlags = SessionCommandOptions & {
  readonly all?: true;
  readonly labels?: string;
  readonly profile?: string;
  readonly write?: string;
  readonly apply?: true;
  readonly force?: true;
};

function addLearnCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addSessionCommand(program, 'learn', 'Learn failure indicators and better thresholds from past runs')
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
      const { runLearn } = await import('./commands/learn/action.ts');
      exit(await runLearn(traces, { ...options, signal }, io));
    });
}
