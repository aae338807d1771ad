import type { AuditOptions } from './commands/audit.ts';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addDashboard } from './program-dashboard.ts';
import { addGovern } from './program-govern.ts';
import { addQueue } from './program-queue.ts';
import { addSessions } from './program-sessions.ts';
import { addSetup } from './program-setup.ts';
import { visibleLine } from './visible.ts';
import { examples, type Setting, profileHelp } from './program-parts.ts';
import { addMemory } from './program-memory.ts';
import { addRuns } from './program-run.ts';

/** The command line. Each command is loaded only when it is called, so that help and version come at once. */
export function createProgram(setting: Setting): Command {
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
      outputError: (text, write) => write(`${oneLine(text)}\n`),
    })
    .exitOverride();
  addRuns(program, setting);
  addSessions(program, setting);
  addDashboard(program, setting);
  addQueue(program, setting);
  addGovern(program, setting);
  addTrust(program, setting);
  addPipe(program, setting);
  addChart(program, setting);
  addAudit(program, setting);
  addMemory(program, setting);
  addSetup(program, setting);
  return program;
}

/** Commander's complaint and its suggestion, in one line. */
function oneLine(text: string): string {
  const said = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\.?\s*\n\s*/g, ' ');
  return `pawl: ${visibleLine(said)} (pawl --help shows what there is)`;
}

function addTrust(program: Command, { io, exit }: Setting): void {
  program
    .command('trust')
    .description("let a folder's own configuration take effect, as it is now")
    .argument('[folder]', 'the folder', '.')
    .option('--revoke', 'trust it no longer')
    .addHelpText('after', examples('pawl trust', 'pawl trust --revoke ~/downloaded-project'))
    .action(async (folder: string, options: { readonly revoke?: true }) => {
      const { trust } = await import('./commands/trust.ts');
      exit(await trust(folder, options, io));
    });
}

function addPipe(program: Command, { io, signal, exit }: Setting): void {
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
      examples(
        `printf '{"type":"user-message","at":0,"text":"Hello"}\\n' | pawl pipe`,
        'pawl pipe --profile loom --state status < events.jsonl',
        'pawl pipe --profile my-profile.yaml < events.jsonl',
        'pawl pipe --schema > events.schema.json',
      ),
    )
    .action(async (options: { profile: string; state: string; id?: string; schema?: true }) => {
      const { pipe, printSchema } = await import('./commands/pipe.ts');
      exit(options.schema === true ? await printSchema(io) : await pipe({ ...options, signal }, io));
    });
}

type ChartFlags = {
  readonly format: string;
  readonly out?: string;
  readonly force?: true;
  readonly list?: true;
};

function addChart(program: Command, { io, exit }: Setting): void {
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
      examples(
        'pawl chart turn',
        'pawl chart savant --format svg --out savant.svg',
        'pawl chart my-modes.yaml --format xstate',
        'pawl chart lkj --format json > my-modes.json',
      ),
    )
    .action(async (name: string | undefined, options: ChartFlags) => {
      const { chart } = await import('./commands/chart.ts');
      exit(await chart(name, options, io));
    });
}

function addAudit(program: Command, { io, signal, exit }: Setting): void {
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
      `${examples(
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
