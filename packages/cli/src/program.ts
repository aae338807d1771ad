import { Command, Help } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { CommandContext } from './options/command-options.ts';
import { sanitizeOneLine } from './output/sanitize-text.ts';

/** One line of the help. The folder of the command contains the rest of its definition, and its action. */
type CommandEntry = {
  readonly name: string;
  /** The arguments, as the help shows them. */
  readonly usage: string;
  readonly description: string;
  readonly load: () => Promise<(command: Command, context: CommandContext) => void>;
};

/** All commands, in the order of the help. */
const commandEntries: readonly CommandEntry[] = [
  {
    name: 'demo',
    usage: '[options]',
    description: 'Show a looping agent without and with Pawl, offline, in seconds',
    load: async () => (await import('./commands/demo/command.ts')).defineDemoCommand,
  },
  {
    name: 'run',
    usage: '[options] <goal...>',
    description: 'Work on a goal in a folder; offline, answer with quoted, cited passages',
    load: async () => (await import('./commands/run/command.ts')).defineRunCommand,
  },
  {
    name: 'chat',
    usage: '[options] [message...]',
    description: 'Chat with an agent in a folder',
    load: async () => (await import('./commands/chat/command.ts')).defineChatCommand,
  },
  {
    name: 'resume',
    usage: '[options] [session] [message...]',
    description: 'Resume a session after an interruption or a crash, or with a new message',
    load: async () => (await import('./commands/resume/command.ts')).defineResumeCommand,
  },
  {
    name: 'sessions',
    usage: '[options]',
    description: 'List the sessions of this folder, newest first',
    load: async () => (await import('./commands/sessions/command.ts')).defineSessionsCommand,
  },
  {
    name: 'show',
    usage: '[options] <session>',
    description: 'Show a session: totals, timeline and why it stopped',
    load: async () => (await import('./commands/show/command.ts')).defineShowCommand,
  },
  {
    name: 'watch',
    usage: '[options] [session]',
    description: 'Watch a session that runs in another process',
    load: async () => (await import('./commands/watch/command.ts')).defineWatchCommand,
  },
  {
    name: 'replay',
    usage: '[options] [session]',
    description: "Replay a session's log and verify the resulting state",
    load: async () => (await import('./commands/replay/command.ts')).defineReplayCommand,
  },
  {
    name: 'fork',
    usage: '[options] <session>',
    description: 'Fork a session: create a new one with the same history',
    load: async () => (await import('./commands/fork/command.ts')).defineForkCommand,
  },
  {
    name: 'diff',
    usage: '[options] <a> <b>',
    description: 'Compare two sessions',
    load: async () => (await import('./commands/diff/command.ts')).defineDiffCommand,
  },
  {
    name: 'export',
    usage: '[options] <session>',
    description: 'Export a session as JSON, a transcript, or a test that replays it',
    load: async () => (await import('./commands/export/command.ts')).defineExportCommand,
  },
  {
    name: 'rm',
    usage: '[options] <session...>',
    description: 'Remove sessions permanently',
    load: async () => (await import('./commands/rm/command.ts')).defineRmCommand,
  },
  {
    name: 'prune',
    usage: '[options]',
    description: 'Remove old sessions of this folder, except running ones',
    load: async () => (await import('./commands/prune/command.ts')).definePruneCommand,
  },
  {
    name: 'verdict',
    usage: '[options] <session> [mark]',
    description: 'Mark a verdict of the governor as right or wrong, or list the verdicts of a session',
    load: async () => (await import('./commands/verdict/command.ts')).defineVerdictCommand,
  },
  {
    name: 'stats',
    usage: '[options]',
    description: 'Show statistics about sessions: endings, cost, loops and verdict accuracy',
    load: async () => (await import('./commands/stats/command.ts')).defineStatsCommand,
  },
  {
    name: 'learn',
    usage: '[options] [traces...]',
    description: 'Learn failure indicators and better thresholds from past runs',
    load: async () => (await import('./commands/learn/command.ts')).defineLearnCommand,
  },
  {
    name: 'dashboard',
    usage: '[options] [session]',
    description: 'Show sessions in a browser: watch, steer, and inspect past states',
    load: async () => (await import('./commands/dashboard/command.ts')).defineDashboardCommand,
  },
  {
    name: 'tell',
    usage: '[options] <session> <what> [words...]',
    description: 'Send a command to a running session',
    load: async () => (await import('./commands/tell/command.ts')).defineTellCommand,
  },
  {
    name: 'submit',
    usage: '[options] <goal...>',
    description: 'Submit a goal to the workers',
    load: async () => (await import('./commands/submit/command.ts')).defineSubmitCommand,
  },
  {
    name: 'worker',
    usage: '[options]',
    description: 'Run sessions from the queue until Ctrl-C or SIGTERM',
    load: async () => (await import('./commands/worker/command.ts')).defineWorkerCommand,
  },
  {
    name: 'queue',
    usage: '',
    description: 'Show and manage the queue of the workers',
    load: async () => (await import('./commands/queue/command.ts')).defineQueueCommand,
  },
  {
    name: 'hook',
    usage: '',
    description: 'Govern Claude Code, Codex or Gemini CLI through their hooks',
    load: async () => (await import('./commands/hook/command.ts')).defineHookCommand,
  },
  {
    name: 'proxy',
    usage: '[options]',
    description: 'Govern any agent through a local proxy between it and its model',
    load: async () => (await import('./commands/proxy/command.ts')).defineProxyCommand,
  },
  {
    name: 'mcp',
    usage: '[options]',
    description: 'Serve the governor and a memory to an MCP client over standard input and output',
    load: async () => (await import('./commands/mcp/command.ts')).defineMcpCommand,
  },
  {
    name: 'trust',
    usage: '[options] [folder]',
    description: "Trust a folder's configuration and provider packages as they are now",
    load: async () => (await import('./commands/trust/command.ts')).defineTrustCommand,
  },
  {
    name: 'pipe',
    usage: '[options]',
    description:
      'Drive the state machine from any language: events in, states and actions out, one JSON object per line',
    load: async () => (await import('./commands/pipe/command.ts')).definePipeCommand,
  },
  {
    name: 'chart',
    usage: '[options] [name]',
    description: 'Draw a state chart: the turn, the built-in modes, or your own',
    load: async () => (await import('./commands/chart/command.ts')).defineChartCommand,
  },
  {
    name: 'audit',
    usage: '[options] [file...]',
    description: 'Find where recorded runs of any agent got stuck, and what it cost',
    load: async () => (await import('./commands/audit/command.ts')).defineAuditCommand,
  },
  {
    name: 'memory',
    usage: '',
    description: 'List, search, export or import the memory of an agent',
    load: async () => (await import('./commands/memory/command.ts')).defineMemoryCommand,
  },
  {
    name: 'profiles',
    usage: '',
    description: 'List and show profiles',
    load: async () => (await import('./commands/profiles/command.ts')).defineProfilesCommand,
  },
  {
    name: 'init',
    usage: '[options]',
    description: 'Create a commented configuration file for a folder',
    load: async () => (await import('./commands/init/command.ts')).defineInitCommand,
  },
  {
    name: 'config',
    usage: '',
    description: 'Show, locate and check the configuration',
    load: async () => (await import('./commands/config/command.ts')).defineConfigCommand,
  },
  {
    name: 'doctor',
    usage: '[options]',
    description: 'Check this machine for the programs and settings that Pawl needs',
    load: async () => (await import('./commands/doctor/command.ts')).defineDoctorCommand,
  },
  {
    name: 'completion',
    usage: '<shell>',
    description: 'Print a shell completion script',
    load: async () => (await import('./commands/completion/command.ts')).defineCompletionCommand,
  },
];

/**
 * Creates the command line for `args`. Only the definitions of the commands that `args` names are loaded, so that the
 * start takes no longer with every command; `'all'` loads all of them.
 */
export async function createProgram(
  context: CommandContext,
  args: readonly string[] | 'all' = 'all',
): Promise<Command> {
  const { io } = context;
  const program = new Command('pawl')
    .description('Run agents, and stop them when they get stuck.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'Show help for a command')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    })
    .exitOverride();
  // A completion script contains every command.
  const isNeeded = ({ name }: CommandEntry): boolean =>
    args === 'all' || args.includes(name) || args.includes('completion');
  for (const entry of commandEntries) {
    const command = program.command(entry.name).description(entry.description);
    if (isNeeded(entry)) (await entry.load())(command, context);
  }
  await formatUsageErrors(program);
  return showUsages(program);
}

type NameSuggester = (word: string, names: readonly string[]) => string;

/** Formats Commander's errors on one line, each with the command whose help explains what was used incorrectly. */
async function formatUsageErrors(program: Command): Promise<void> {
  // Only groups need it, so that other commands start without it.
  const hasGroup = program.commands.some(({ commands }) => commands.length > 0);
  const suggestName: NameSuggester = hasGroup
    ? (await import('@pawl/runtime/suggestions')).formatNameSuggestion
    : () => '';
  formatCommandErrors(program, 'pawl', suggestName);
}

function formatCommandErrors(command: Command, path: string, suggestName: NameSuggester): void {
  command.configureOutput({
    outputError: (text, write) => write(`${formatCommanderError(text, path)}\n`),
  });
  const names = command.commands.map((each) => each.name());
  for (const subcommand of command.commands) {
    const subcommandPath = `${path} ${subcommand.name()}`;
    formatCommandErrors(subcommand, subcommandPath, suggestName);
    if (subcommand.registeredArguments.length > 0 || subcommand.commands.length > 0) continue;
    subcommand.configureOutput({
      outputError(text, write) {
        // A misspelled subcommand is an excess argument of the default subcommand.
        const [word = ''] = command.args;
        const isMisspelled = text.startsWith('error: too many arguments') && !names.includes(word);
        const message = isMisspelled ? `unknown command '${word}'.${suggestName(word, names)}` : text;
        write(`${formatCommanderError(message, isMisspelled ? path : subcommandPath)}\n`);
      },
    });
  }
}

/** Shows the arguments of all commands in the help of the program, also if their definitions are not loaded. */
function showUsages(program: Command): Command {
  const usages = new Map(commandEntries.map(({ name, usage }) => [name, `${name} ${usage}`.trimEnd()]));
  const defaultHelp = new Help();
  return program.configureHelp({
    subcommandTerm: (command) => usages.get(command.name()) ?? defaultHelp.subcommandTerm(command),
  });
}

/** Formats Commander's error and suggestion on one line. `path` is the command whose help explains its use. */
function formatCommanderError(text: string, path: string): string {
  const message = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\.?\s*\n\s*/g, ' ');
  return `pawl: ${sanitizeOneLine(message)} (see ${path} --help)`;
}
