import type { Command } from 'commander';
import type { ModelFlags } from '@pawl/runtime/agent-setup';
import { addInsightCommands } from './program-insight.ts';
import {
  formatExamples,
  addSessionCommand,
  type SessionCommandOptions,
  type CommandContext,
  sessionArgumentHelp,
} from './program-parts.ts';

/** Adds the commands on stored sessions, which share the flags that select a store. */
export function addSessionsCommands(program: Command, context: CommandContext): void {
  addListCommand(program, context);
  addShowCommand(program, context);
  addWatchCommand(program, context);
  addReplayCommand(program, context);
  addForkCommand(program, context);
  addDiffCommand(program, context);
  addExportCommand(program, context);
  addRemoveCommand(program, context);
  addPruneCommand(program, context);
  addInsightCommands(program, context);
}

function addListCommand(program: Command, { io, signal, exit }: CommandContext): void {
  addSessionCommand(program, 'sessions', 'List the sessions of this folder, newest first')
    .option('-a, --all', 'include the sessions of all folders')
    .option('-n, --limit <n>', 'maximum number of sessions', '50')
    .option('-w, --watch', 'refresh the list until Ctrl-C')
    .option('--json', 'print one JSON object per line')
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
  addSessionCommand(program, 'watch', 'Watch a session that runs in another process')
    .argument('[session]', sessionArgumentHelp, 'last')
    .option('--from-start', 'include past events')
    .option('--plain', 'print lines instead of the live view')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples('pawl watch', 'pawl watch 3f2a --from-start', 'pawl watch --json | jq .type'),
    )
    .action(
      async (sessionRef: string, options: SessionCommandOptions & { fromStart?: true; plain?: true }) => {
        const { watchSession } = await import('./commands/watch.ts');
        exit(await watchSession(sessionRef, { ...options, signal }, io));
      },
    );
}

type ShowSessionFlags = SessionCommandOptions & {
  readonly at?: string;
  readonly prompt?: string;
  readonly why?: string;
  readonly events?: true;
};

function addShowCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'show', 'Show a session: totals, timeline and why it stopped')
    .argument('<session>', sessionArgumentHelp)
    .option('--at <event>', 'event after which to show the state instead; 0 is the initial state')
    .option('--prompt <n>', 'number of the model request to show in full')
    .option('--why <step>', 'number of the step to explain, or event:N for the step of event N')
    .option('--events', 'print the event log, one JSON object per line')
    .option('--json', 'print one JSON object per line')
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
    .action(async (sessionRef: string, options: ShowSessionFlags) => {
      const { showSession } = await import('./commands/show.ts');
      exit(await showSession(sessionRef, options, io));
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
  addSessionCommand(program, 'replay', "Replay a session's log and verify the resulting state")
    .argument('[session]', sessionArgumentHelp)
    .option('--file <file>', 'exported session (json or jsonl) to replay instead')
    .option('--with-model', 'send each request to the model again and compare the replies')
    .option('--all', 'with --with-model, continue after the first reply that differs')
    .option('-m, --model <spec>', 'model to query (default: the model of the session)')
    .option('-p, --profile <name>', 'profile whose protocol is used (default: the profile of the session)')
    .option('--base-url <url>', 'base URL of an openai-compatible model')
    .option('--max-output-tokens <n>', 'maximum number of tokens per reply')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl replay last',
        'pawl replay --file session.jsonl',
        'pawl replay 3f2a --with-model --model openai:gpt-5-mini --all',
      )}\n\nThe exit code is 1 if something differs, otherwise 0.`,
    )
    .action(async (sessionRef: string | undefined, options: ReplayFlags) => {
      const { runReplay } = await import('./commands/replay.ts');
      exit(await runReplay(sessionRef, { ...options, signal }, io));
    });
}

function addForkCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'fork', 'Fork a session: create a new one with the same history')
    .argument('<session>', sessionArgumentHelp)
    .option('--at <event>', 'last event that both sessions share (default: the last event)')
    .option('--say <text>', 'message to send to the fork; work in progress is cancelled')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples('pawl fork last --at 12', 'pawl fork 3f2a --at 12 --say "Try it without a cache"'),
    )
    .action(async (sessionRef: string, options: SessionCommandOptions & { at?: string; say?: string }) => {
      const { runFork } = await import('./commands/fork.ts');
      exit(await runFork(sessionRef, options, io));
    });
}

function addDiffCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'diff', 'Compare two sessions')
    .argument('<a>', sessionArgumentHelp)
    .argument('<b>', 'session to compare with')
    .option('--json', 'print one JSON object')
    .addHelpText('after', formatExamples('pawl diff 3f2a 91bc', 'pawl diff last 3f2a --json'))
    .action(async (a: string, b: string, options: SessionCommandOptions) => {
      const { diffSessions } = await import('./commands/diff.ts');
      exit(await diffSessions([a, b], options, io));
    });
}

function addExportCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'export', 'Export a session as JSON, a transcript, or a test that replays it')
    .argument('<session>', sessionArgumentHelp)
    .option('--as <form>', 'format: json, jsonl, markdown, test', 'json')
    .option('-o, --out <file>', 'output file (default: standard output)')
    .option('--force', 'overwrite the file if it exists')
    .addHelpText(
      'after',
      formatExamples(
        'pawl export last --as markdown > transcript.md',
        'pawl export 3f2a --as jsonl --out session.jsonl',
        'pawl export last --as test --out test/found-bug.test.ts',
      ),
    )
    .action(
      async (
        sessionRef: string,
        options: SessionCommandOptions & { as: string; out?: string; force?: true },
      ) => {
        const { exportSession } = await import('./commands/export.ts');
        exit(await exportSession(sessionRef, options, io));
      },
    );
}

function addRemoveCommand(program: Command, { io, exit }: CommandContext): void {
  addSessionCommand(program, 'rm', 'Remove sessions permanently')
    .argument('<session...>', sessionArgumentHelp)
    .option('-y, --yes', 'skip the confirmation')
    .option('--force', 'also remove a running session')
    .option('--json', 'print one JSON object per line')
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
  addSessionCommand(program, 'prune', 'Remove old sessions of this folder, except running ones')
    .option('-a, --all', 'include the sessions of all folders')
    .option('--older-than <span>', 'minimum time since the last activity: 90m, 12h, 30d, 4w (default: "30d")')
    .option('--keep <n>', 'number of newest sessions to keep; without --older-than, all others are removed')
    .option('--dry-run', 'only list the sessions that would be removed')
    .option('-y, --yes', 'skip the confirmation')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples('pawl prune --dry-run', 'pawl prune --all --older-than 4w --keep 10 --yes'),
    )
    .action(async (options: PruneFlags) => {
      const { pruneSessions } = await import('./commands/prune.ts');
      exit(await pruneSessions(options, io));
    });
}
