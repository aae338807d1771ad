import type { Command } from 'commander';
import type { ModelFlags } from './commands/model-options.ts';
import { addInsightCommands } from './program-insight.ts';
import {
  formatExamples,
  addSessionCommand,
  type SessionCommandOptions,
  type CommandContext,
  sessionArgumentHelp,
} from './program-parts.ts';

/** Adds the commands on stored sessions, which share the flags that select a store. */
export function addSessionsCommands(program: Command, setting: CommandContext): void {
  addListCommand(program, setting);
  addShowCommand(program, setting);
  addWatchCommand(program, setting);
  addReplayCommand(program, setting);
  addForkCommand(program, setting);
  addDiffCommand(program, setting);
  addExportCommand(program, setting);
  addRemoveCommand(program, setting);
  addPruneCommand(program, setting);
  addInsightCommands(program, setting);
}

function addListCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addSessionCommand(program, 'sessions', 'list the sessions of this folder, the newest first')
    .option('-a, --all', 'the sessions of every folder')
    .option('-n, --limit <n>', 'at most this many', '50')
    .option('-w, --watch', 'keep the list up to date until Ctrl-C')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl sessions',
        'pawl sessions --watch',
        'pawl sessions --all --limit 200',
        'pawl sessions --json | jq .goal',
      ),
    )
    .action(async (options: SessionCommandOptions & { all?: true; limit: string; watch?: true }) => {
      const { listSessions } = await import('./commands/sessions.ts');
      exit(await listSessions({ ...options, signal }, io));
    });
}

function addWatchCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addSessionCommand(program, 'watch', 'show a session that runs in another process, as it happens')
    .argument('[session]', sessionArgumentHelp, 'last')
    .option('--from-start', 'show what happened before as well')
    .option('--plain', 'print lines instead of the live view')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      formatExamples('pawl watch', 'pawl watch 3f2a --from-start', 'pawl watch --json | jq .type'),
    )
    .action(async (word: string, options: SessionCommandOptions & { fromStart?: true; plain?: true }) => {
      const { watchSession } = await import('./commands/watch.ts');
      exit(await watchSession(word, { ...options, signal }, io));
    });
}

type ShowSessionFlags = SessionCommandOptions & {
  readonly at?: string;
  readonly prompt?: string;
  readonly why?: string;
  readonly events?: true;
};

function addShowCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'show', 'show a session: what it came to, what happened, and why it stopped')
    .argument('<session>', sessionArgumentHelp)
    .option('--at <event>', 'show the state after this event instead; 0 is as it was created')
    .option('--prompt <n>', 'show what the model was sent the nth time it was asked')
    .option('--why <step>', 'show why the nth step went as it did; event:N means the step of event N')
    .option('--events', 'print the log itself, one JSON object a line')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl show last',
        'pawl show 3f2a --at 12',
        'pawl show 3f2a --prompt 4',
        'pawl show 3f2a --why event:12',
        'pawl show last --events | pawl pipe',
      ),
    )
    .action(async (word: string, options: ShowSessionFlags) => {
      const { showSession } = await import('./commands/show.ts');
      exit(await showSession(word, options, io));
    });
}

type ReplayFlags = SessionCommandOptions &
  ModelFlags & {
    readonly file?: string;
    readonly withModel?: true;
    readonly profile?: string;
    readonly all?: true;
  };

function addReplayCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addSessionCommand(program, 'replay', 'go through the log of a session again and compare what comes of it')
    .argument('[session]', sessionArgumentHelp)
    .option('--file <file>', 'a session that was exported as json or jsonl instead')
    .option('--with-model', 'ask the model again at each step, and show where it says something else')
    .option('--all', 'with a model: go on after the first reply that differs')
    .option('-m, --model <spec>', 'the model to ask (default: the one that the session ran with)')
    .option('-p, --profile <name>', 'the profile whose protocol is spoken (default: that of the session)')
    .option('--base-url <url>', 'where an openai-compatible model is served')
    .option('--max-output-tokens <n>', 'how many tokens one reply may have')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl replay last',
        'pawl replay --file session.jsonl',
        'pawl replay 3f2a --with-model --model openai:gpt-5-mini --all',
      )}\n\nThe exit code is 1 when something differs, and 0 when nothing does.`,
    )
    .action(async (word: string | undefined, options: ReplayFlags) => {
      const { runReplay } = await import('./commands/replay.ts');
      exit(await runReplay(word, { ...options, signal }, io));
    });
}

function addForkCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'fork', 'make a new session that shares the past of another')
    .argument('<session>', sessionArgumentHelp)
    .option('--at <event>', 'the last event that both have (default: the last there is)')
    .option('--say <text>', 'what the user says there; what was under way is called off')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('pawl fork last --at 12', 'pawl fork 3f2a --at 12 --say "Try it without a cache"'),
    )
    .action(async (word: string, options: SessionCommandOptions & { at?: string; say?: string }) => {
      const { runFork } = await import('./commands/fork.ts');
      exit(await runFork(word, options, io));
    });
}

function addDiffCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'diff', 'show where two sessions part, and how differently they ended')
    .argument('<a>', sessionArgumentHelp)
    .argument('<b>', 'the other one')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl diff 3f2a 91bc', 'pawl diff last 3f2a --json'))
    .action(async (a: string, b: string, options: SessionCommandOptions) => {
      const { diffSessions } = await import('./commands/diff.ts');
      exit(await diffSessions([a, b], options, io));
    });
}

function addExportCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(
    program,
    'export',
    'write a session as JSON, as a transcript, or as a test that plays it again',
  )
    .argument('<session>', sessionArgumentHelp)
    .option('--as <form>', 'json, jsonl, markdown, or test', 'json')
    .option('-o, --out <file>', 'write to a file instead of standard output')
    .option('--force', 'replace that file if it is there')
    .addHelpText(
      'after',
      formatExamples(
        'pawl export last --as markdown > transcript.md',
        'pawl export 3f2a --as jsonl --out session.jsonl',
        'pawl export last --as test --out test/found-bug.test.ts',
      ),
    )
    .action(
      async (word: string, options: SessionCommandOptions & { as: string; out?: string; force?: true }) => {
        const { exportSession } = await import('./commands/export.ts');
        exit(await exportSession(word, options, io));
      },
    );
}

function addRemoveCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'rm', 'remove sessions for good')
    .argument('<session...>', sessionArgumentHelp)
    .option('-y, --yes', 'do not ask')
    .option('--force', 'remove it even if it is running now')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', formatExamples('pawl rm 3f2a', 'pawl rm --yes 3f2a 91bc'))
    .action(async (words: string[], options: SessionCommandOptions & { yes?: true; force?: true }) => {
      const { removeSessions } = await import('./commands/remove-sessions.ts');
      exit(await removeSessions(words, options, io));
    });
}

type PruneFlags = SessionCommandOptions & {
  readonly all?: true;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: true;
  readonly yes?: true;
};

function addPruneCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(
    program,
    'prune',
    'remove old sessions of this folder; one that is running now always stays',
  )
    .option('-a, --all', 'the sessions of every folder')
    .option(
      '--older-than <span>',
      'those last worked on longer ago than this: 90m, 12h, 30d, 4w (default: "30d")',
    )
    .option('--keep <n>', 'keep this many of the newest; without --older-than, remove all others')
    .option('--dry-run', 'only list what would be removed')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      formatExamples('pawl prune --dry-run', 'pawl prune --all --older-than 4w --keep 10 --yes'),
    )
    .action(async (options: PruneFlags) => {
      const { pruneSessions } = await import('./commands/prune.ts');
      exit(await pruneSessions(options, io));
    });
}
