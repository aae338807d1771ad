import type { AuditOptions } from './commands/audit/action.ts';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addDashboardCommand } from './program-dashboard.ts';
import { addGovernorCommands } from './program-governor.ts';
import { addRemoteCommands } from './program-queue.ts';
import { addSessionsCommands } from './program-sessions.ts';
import { addSetupCommands } from './program-setup.ts';
import { sanitizeOneLine } from './output/sanitize-text.ts';
import { formatExamples, type CommandContext, profileHelp } from './options/command-options.ts';
import { addMemoryCommands } from './program-memory.ts';
import { addRunCommands } from './program-run.ts';

/** Creates the command line. Each command is loaded when it is called, so that help and version are fast. */
export function createProgram(context: CommandContext): Command {
  const { io } = context;
  const program = new Command('pawl')
    .description('Run agents, and stop them when they get stuck.')
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'Show help for a command')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(`${formatCommanderError(text)}\n`),
    })
    .exitOverride();
  addRunCommands(program, context);
  addSessionsCommands(program, context);
  addDashboardCommand(program, context);
  addRemoteCommands(program, context);
  addGovernorCommands(program, context);
  addTrustCommand(program, context);
  addPipeCommand(program, context);
  addChartCommand(program, context);
  addAuditCommand(program, context);
  addMemoryCommands(program, context);
  addSetupCommands(program, context);
  return program;
}

/** Formats Commander's error and suggestion on one line. */
function formatCommanderError(text: string): string {
  const message = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\.?\s*\n\s*/g, ' ');
  return `pawl: ${sanitizeOneLine(message)} (see pawl --help)`;
}

function addTrustCommand(program: Command, { io, exit }: CommandContext): void {
  program
    .command('trust')
    .description("Trust a folder's configuration in its current state")
    .argument('[folder]', 'folder', '.')
    .option('--revoke', 'withdraw the trust')
    .addHelpText('after', formatExamples('pawl trust', 'pawl trust --revoke ~/downloaded-project'))
    .action(async (folder: string, options: { readonly revoke?: true }) => {
      const { trustFolder } = await import('./commands/trust/action.ts');
      exit(await trustFolder(folder, options, io));
    });
}

function addPipeCommand(program: Command, { io, signal, exit }: CommandContext): void {
  program
    .command('pipe')
    .description(
      'Drive the state machine from any language: events in, states and actions out, one JSON object per line',
    )
    .option('-p, --profile <name>', profileHelp, 'pawl')
    .option('--state <how>', 'state in each answer: compact, full, status', 'compact')
    .option('--id <id>', 'session id (default: "pipe")')
    .option('--schema', 'print the JSON Schema of the events and exit')
    .addHelpText(
      'after',
      formatExamples(
        `printf '{"type":"user-message","at":0,"text":"Hello"}\\n' | pawl pipe`,
        'pawl pipe --profile loom --state status < events.jsonl',
        'pawl pipe --profile my-profile.yaml < events.jsonl',
        'pawl pipe --schema > events.schema.json',
      ),
    )
    .action(async (options: { profile: string; state: string; id?: string; schema?: true }) => {
      const { runPipe, printEventSchema } = await import('./commands/pipe/action.ts');
      exit(options.schema === true ? await printEventSchema(io) : await runPipe({ ...options, signal }, io));
    });
}

type ChartFlags = {
  readonly format: string;
  readonly out?: string;
  readonly force?: true;
  readonly list?: true;
};

function addChartCommand(program: Command, { io, exit }: CommandContext): void {
  program
    .command('chart')
    .description('Draw a state chart: the turn, the built-in modes, or your own')
    .argument('[name]', 'chart: turn, savant, lkj, lkj1, loop, or a .json or .yaml file with a mode chart')
    .option('-f, --format <name>', 'format: mermaid, svg, xstate, json', 'mermaid')
    .option('-o, --out <file>', 'output file (default: standard output)')
    .option('--force', 'overwrite the file if it exists')
    .option('-l, --list', 'list the built-in charts with their states')
    .addHelpText(
      'after',
      formatExamples(
        'pawl chart turn',
        'pawl chart savant --format svg --out savant.svg',
        'pawl chart my-modes.yaml --format xstate',
        'pawl chart lkj --format json > my-modes.json',
      ),
    )
    .action(async (name: string | undefined, options: ChartFlags) => {
      const { writeChart } = await import('./commands/chart/action.ts');
      exit(await writeChart(name, options, io));
    });
}

function addAuditCommand(program: Command, { io, signal, exit }: CommandContext): void {
  program
    .command('audit')
    .description('Find where recorded runs of any agent got stuck, and what it cost')
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
        const { auditFiles } = await import('./commands/audit/action.ts');
        const format = json === true ? 'json' : options.format;
        exit(await auditFiles(files, { ...options, format, signal }, io));
      },
    );
}
