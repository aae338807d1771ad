import type { Command } from 'commander';
import {
  formatExamples,
  addSessionCommand,
  type SessionCommandOptions,
  type CommandContext,
  sessionArgumentHelp,
} from './program-parts.ts';

/** Adds the commands that learn from stored sessions: verdict feedback and statistics. */
export function addInsightCommands(program: Command, setting: CommandContext): void {
  addVerdictCommand(program, setting);
  addStatsCommand(program, setting);
  addLearnCommand(program, setting);
}

function addVerdictCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(
    program,
    'verdict',
    'say whether a verdict of the governor was right, or list those of a session',
  )
    .argument('<session>', sessionArgumentHelp)
    .argument('[mark]', 'right or wrong; without it, the verdicts are listed')
    .option('--rule <rule>', 'the last verdict of this rule (default: the last of all)')
    .option('--event <n>', 'the verdict that this event brought')
    .option('--note <text>', 'why you think so')
    .option('--json', 'print one JSON object a line')
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
        word: string,
        mark: string | undefined,
        options: SessionCommandOptions & { rule?: string; event?: string; note?: string },
      ) => {
        const { runVerdict } = await import('./commands/verdict.ts');
        exit(await runVerdict(word, mark, options, io));
      },
    );
}

function addStatsCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addSessionCommand(
    program,
    'stats',
    'show in numbers how the sessions of this folder ended, what they took, and how good the verdicts were',
  )
    .option('-a, --all', 'the sessions of every folder')
    .option('--html <file>', 'write a page with plots as well')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('pawl stats', 'pawl stats --html report.html', 'pawl stats --all --json | jq .accuracy'),
    )
    .action(async (options: SessionCommandOptions & { all?: true; html?: string }) => {
      const { showStats } = await import('./commands/stats.ts');
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
  addSessionCommand(
    program,
    'learn',
    'learn from past runs what comes before a failure, and which thresholds would have done better',
  )
    .argument('[traces...]', 'recorded runs besides the sessions of this folder: files, folders, or -')
    .option('-a, --all', 'the sessions of every folder')
    .option('--labels <file>', 'what became of runs: {"run": "ID", "resolved": true}, one a line')
    .option('--profile <profile>', 'whose thresholds are in force (default: that of this folder)')
    .option('--write <file>', 'write what is proposed, if anything is, as a profile')
    .option('--apply', 'write it into this folder, and let the folder work by it')
    .option('--force', 'replace that file if it is there')
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
      const { runLearn } = await import('./commands/learn.ts');
      exit(await runLearn(traces, { ...options, signal }, io));
    });
}
