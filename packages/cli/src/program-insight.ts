import type { Command } from 'commander';
import {
  examples,
  sessionCommand,
  type SessionOptions,
  type Setting,
  whichSession,
} from './program-parts.ts';

/** The commands that learn from sessions that were kept: what people think of verdicts, and numbers about it all. */
export function addInsight(program: Command, setting: Setting): void {
  addVerdict(program, setting);
  addStats(program, setting);
  addLearn(program, setting);
}

function addVerdict(program: Command, { io, exit }: Setting): void {
  sessionCommand(
    program,
    'verdict',
    'say whether a verdict of the governor was right, or list those of a session',
  )
    .argument('<session>', whichSession)
    .argument('[mark]', 'right or wrong; without it, the verdicts are listed')
    .option('--rule <rule>', 'the last verdict of this rule (default: the last of all)')
    .option('--event <n>', 'the verdict that this event brought')
    .option('--note <text>', 'why you think so')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      examples(
        'pawl verdict last',
        'pawl verdict last right',
        'pawl verdict 3f2a wrong --event 31 --note "the test was flaky"',
      ),
    )
    .action(
      async (
        word: string,
        mark: string | undefined,
        options: SessionOptions & { rule?: string; event?: string; note?: string },
      ) => {
        const { verdict } = await import('./commands/verdict.ts');
        exit(await verdict(word, mark, options, io));
      },
    );
}

function addStats(program: Command, { io, signal, exit }: Setting): void {
  sessionCommand(
    program,
    'stats',
    'show in numbers how the sessions of this folder ended, what they took, and how good the verdicts were',
  )
    .option('-a, --all', 'the sessions of every folder')
    .option('--html <file>', 'write a page with plots as well')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples('pawl stats', 'pawl stats --html report.html', 'pawl stats --all --json | jq .accuracy'),
    )
    .action(async (options: SessionOptions & { all?: true; html?: string }) => {
      const { showStats } = await import('./commands/stats.ts');
      exit(await showStats({ ...options, signal }, io));
    });
}

type LearnFlags = SessionOptions & {
  readonly all?: true;
  readonly labels?: string;
  readonly profile?: string;
  readonly write?: string;
  readonly apply?: true;
  readonly force?: true;
};

function addLearn(program: Command, { io, signal, exit }: Setting): void {
  sessionCommand(
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
      examples(
        'pawl learn',
        'pawl learn runs/ --labels outcomes.jsonl',
        'pawl learn runs/ --write learned.yaml && pawl run --profile learned.yaml "…"',
      ),
    )
    .action(async (traces: readonly string[], options: LearnFlags) => {
      const { learnFrom } = await import('./commands/learn.ts');
      exit(await learnFrom(traces, { ...options, signal }, io));
    });
}
