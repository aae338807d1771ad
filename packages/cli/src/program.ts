import type { AuditOptions } from './commands/audit.ts';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addDashboardCommand } from './program-dashboard.ts';
import { addGovernorCommands } from './program-governor.ts';
import { addRemoteCommands } from './program-queue.ts';
import { addSessionsCommands } from './program-sessions.ts';
import { addSetupCommands } from './program-setup.ts';
import { sanitizeOneLine } from './sanitize-text.ts';
import { formatExamples, type CommandContext, profileHelp } from './program-parts.ts';
import { addMemoryCommands } from './program-memory.ts';
import { addRunCommands } from './program-run.ts';

/** Creates the command line. Each command is loaded when it is called, so that help and version are fast. */
export function createProgram(setting: CommandContext): Command {
  const { io } = setting;
  const program = new Command('pawl')
    .description(
      'Lets an agent work while the work moves forward, and stops it when it goes round in circles.',
    )
    .version(manifest.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(`${formatCommanderError(text)}\n`),
    })
    .exitOverride();
  addRunCommands(program, setting);
  addSessionsCommands(program, setting);
  addDashboardCommand(program, setting);
  addRemoteCommands(program, setting);
  addGovernorCommands(program, setting);
  addTrustCommand(program, setting);
  addPipeCommand(program, setting);
  addChartCommand(program, setting);
  addAuditCommand(program, setting);
  addMemoryCommands(program, setting);
  addSetupCommands(program, setting);
  return program;
}

/** Formats Commander's error and suggestion on one line. */
function formatCommanderError(text: string): string {
  const said = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\.?\s*\n\s*/g, ' ');
  return `pawl: ${sanitizeOneLine(said)} (pawl --help shows what there is)`;
}

function addTrustCommand(program: Command, { io, exit }: CommandContext): void {
  program
    .command('trust')
    .description("let a folder's own configuration take effect, as it is now")
    .argument('[folder]', 'the folder', '.')
    .option('--revoke', 'trust it no longer')
    .addHelpText('after', formatExamples('pawl trust', 'pawl trust --revoke ~/downloaded-project'))
    .action(async (folder: string, options: { readonly revoke?: true }) => {
      const { trustFolder } = await import('./commands/trust.ts');
      exit(await trustFolder(folder, options, io));
    });
}

function addPipeCommand(program: Command, { io, signal, exit }: CommandContext): void {
  program
    .command('pipe')
    .description(
      'drive the machine from any language: events in, states and actions out, one JSON object a line',
    )
    .option('-p, --profile <name>', profileHelp, 'pawl')
    .option('--state <how>', 'how much of the state each answer holds: compact, full, status', 'compact')
    .option('--id <id>', 'the id of the session (default: "pipe")')
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
      const { runPipe, printEventSchema } = await import('./commands/pipe.ts');
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
    .description('draw a state chart: of the turn, of the modes that are built in, or of your own')
    .argument('[name]', 'turn, savant, lkj, lkj1, loop, or a .json or .yaml file with a chart of modes')
    .option('-f, --format <name>', 'mermaid, svg, xstate or json', 'mermaid')
    .option('-o, --out <file>', 'write to a file instead of standard output')
    .option('--force', 'replace that file if it is there')
    .option('-l, --list', 'list the charts that are built in, with their states')
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
      const { writeChart } = await import('./commands/chart.ts');
      exit(await writeChart(name, options, io));
    });
}

function addAuditCommand(program: Command, { io, signal, exit }: CommandContext): void {
  program
    .command('audit')
    .description('find where recorded runs of any agent got stuck, and what that cost')
    .argument(
      '<file...>',
      'files or folders with traces, or - for standard input; docs/trace-formats.md lists the formats',
    )
    .option('-f, --format <name>', 'the form of the result: report, json, verdicts', 'report')
    .option('--preset <name>', 'whose rules to judge by: pawl, nexora, nexora-lenient, savant', 'pawl')
    .option('--price-in <price>', 'the price of a million tokens that the model reads')
    .option('--price-out <price>', 'the price of a million tokens that the model writes')
    .option('-q, --quiet', 'only the table and the totals: no proofs, no problems, no progress')
    .option('--json', 'the same as --format json')
    .addHelpText(
      'after',
      `${formatExamples(
        'pawl audit ~/.claude/projects',
        'pawl audit --price-in 3 --price-out 15 runs.jsonl.gz',
        'pawl audit --format json trajectory.traj | jq .totals',
        'pawl audit --preset nexora runs/',
        'zcat runs.jsonl.gz | pawl audit --quiet -',
      )}\n\nThe exit code is 3 when at least one run got stuck, and 0 when none did.`,
    )
    .action(
      async (
        files: string[],
        { json, ...options }: Omit<AuditOptions, 'signal'> & { readonly json?: true },
      ) => {
        const { auditFiles } = await import('./commands/audit.ts');
        const format = json === true ? 'json' : options.format;
        exit(await auditFiles(files, { ...options, format, signal }, io));
      },
    );
}
