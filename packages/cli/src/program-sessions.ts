import type { Command } from 'commander';
import type { ModelFlags } from './commands/model-options.ts';
import { addInsight } from './program-insight.ts';
import {
  examples,
  sessionCommand,
  type SessionOptions,
  type Setting,
  whichSession,
} from './program-parts.ts';

/** The commands on sessions that were kept. Which store is meant is said in the same way to each. */
export function addSessions(program: Command, setting: Setting): void {
  addList(program, setting);
  addShow(program, setting);
  addWatch(program, setting);
  addReplay(program, setting);
  addFork(program, setting);
  addDiff(program, setting);
  addExport(program, setting);
  addRemove(program, setting);
  addPrune(program, setting);
  addInsight(program, setting);
}

function addList(program: Command, { io, signal, exit }: Setting): void {
  sessionCommand(program, 'sessions', 'list the sessions of this folder, the newest first')
    .option('-a, --all', 'the sessions of every folder')
    .option('-n, --limit <n>', 'at most this many', '50')
    .option('-w, --watch', 'keep the list up to date until Ctrl-C')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      examples(
        'pawl sessions',
        'pawl sessions --watch',
        'pawl sessions --all --limit 200',
        'pawl sessions --json | jq .goal',
      ),
    )
    .action(async (options: SessionOptions & { all?: true; limit: string; watch?: true }) => {
      const { listSessions } = await import('./commands/sessions.ts');
      exit(await listSessions({ ...options, signal }, io));
    });
}

function addWatch(program: Command, { io, signal, exit }: Setting): void {
  sessionCommand(program, 'watch', 'show a session that runs in another process, as it happens')
    .argument('[session]', whichSession, 'last')
    .option('--from-start', 'show what happened before as well')
    .option('--plain', 'print lines instead of the live view')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      examples('pawl watch', 'pawl watch 3f2a --from-start', 'pawl watch --json | jq .type'),
    )
    .action(async (word: string, options: SessionOptions & { fromStart?: true; plain?: true }) => {
      const { watchSession } = await import('./commands/watch.ts');
      exit(await watchSession(word, { ...options, signal }, io));
    });
}

type ShowFlags = SessionOptions & {
  readonly at?: string;
  readonly prompt?: string;
  readonly why?: string;
  readonly events?: true;
};

function addShow(program: Command, { io, exit }: Setting): void {
  sessionCommand(program, 'show', 'show a session: what it came to, what happened, and why it stopped')
    .argument('<session>', whichSession)
    .option('--at <event>', 'show the state after this event instead; 0 is as it was created')
    .option('--prompt <n>', 'show what the model was sent the nth time it was asked')
    .option('--why <step>', 'show why the nth step went as it did; event:N means the step of event N')
    .option('--events', 'print the log itself, one JSON object a line')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      examples(
        'pawl show last',
        'pawl show 3f2a --at 12',
        'pawl show 3f2a --prompt 4',
        'pawl show 3f2a --why event:12',
        'pawl show last --events | pawl pipe',
      ),
    )
    .action(async (word: string, options: ShowFlags) => {
      const { showSession } = await import('./commands/show.ts');
      exit(await showSession(word, options, io));
    });
}

type ReplayFlags = SessionOptions &
  ModelFlags & {
    readonly file?: string;
    readonly withModel?: true;
    readonly profile?: string;
    readonly all?: true;
  };

function addReplay(program: Command, { io, signal, exit }: Setting): void {
  sessionCommand(program, 'replay', 'go through the log of a session again and compare what comes of it')
    .argument('[session]', whichSession)
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
      `${examples(
        'pawl replay last',
        'pawl replay --file session.jsonl',
        'pawl replay 3f2a --with-model --model openai:gpt-5-mini --all',
      )}\n\nThe exit code is 1 when something differs, and 0 when nothing does.`,
    )
    .action(async (word: string | undefined, options: ReplayFlags) => {
      const { replaySession } = await import('./commands/replay.ts');
      exit(await replaySession(word, { ...options, signal }, io));
    });
}

function addFork(program: Command, { io, exit }: Setting): void {
  sessionCommand(program, 'fork', 'make a new session that shares the past of another')
    .argument('<session>', whichSession)
    .option('--at <event>', 'the last event that both have (default: the last there is)')
    .option('--say <text>', 'what the user says there; what was under way is called off')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples('pawl fork last --at 12', 'pawl fork 3f2a --at 12 --say "Try it without a cache"'),
    )
    .action(async (word: string, options: SessionOptions & { at?: string; say?: string }) => {
      const { forkSession } = await import('./commands/fork.ts');
      exit(await forkSession(word, options, io));
    });
}

function addDiff(program: Command, { io, exit }: Setting): void {
  sessionCommand(program, 'diff', 'show where two sessions part, and how differently they ended')
    .argument('<a>', whichSession)
    .argument('<b>', 'the other one')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples('pawl diff 3f2a 91bc', 'pawl diff last 3f2a --json'))
    .action(async (a: string, b: string, options: SessionOptions) => {
      const { diffSessions } = await import('./commands/diff.ts');
      exit(await diffSessions([a, b], options, io));
    });
}

function addExport(program: Command, { io, exit }: Setting): void {
  sessionCommand(
    program,
    'export',
    'write a session as JSON, as a transcript, or as a test that plays it again',
  )
    .argument('<session>', whichSession)
    .option('--as <form>', 'json, jsonl, markdown, or test', 'json')
    .option('-o, --out <file>', 'write to a file instead of standard output')
    .option('--force', 'replace that file if it is there')
    .addHelpText(
      'after',
      examples(
        'pawl export last --as markdown > transcript.md',
        'pawl export 3f2a --as jsonl --out session.jsonl',
        'pawl export last --as test --out test/found-bug.test.ts',
      ),
    )
    .action(async (word: string, options: SessionOptions & { as: string; out?: string; force?: true }) => {
      const { exportSession } = await import('./commands/export.ts');
      exit(await exportSession(word, options, io));
    });
}

function addRemove(program: Command, { io, exit }: Setting): void {
  sessionCommand(program, 'rm', 'remove sessions for good')
    .argument('<session...>', whichSession)
    .option('-y, --yes', 'do not ask')
    .option('--force', 'remove it even if it is running now')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', examples('pawl rm 3f2a', 'pawl rm --yes 3f2a 91bc'))
    .action(async (words: string[], options: SessionOptions & { yes?: true; force?: true }) => {
      const { removeSessions } = await import('./commands/rm.ts');
      exit(await removeSessions(words, options, io));
    });
}

type PruneFlags = SessionOptions & {
  readonly all?: true;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: true;
  readonly yes?: true;
};

function addPrune(program: Command, { io, exit }: Setting): void {
  sessionCommand(program, 'prune', 'remove old sessions of this folder; one that is running now always stays')
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
      examples('pawl prune --dry-run', 'pawl prune --all --older-than 4w --keep 10 --yes'),
    )
    .action(async (options: PruneFlags) => {
      const { pruneSessions } = await import('./commands/prune.ts');
      exit(await pruneSessions(options, io));
    });
}
