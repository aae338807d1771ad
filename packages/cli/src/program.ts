import type { AuditOptions } from './commands/audit.ts';
import type { BudgetFlags } from './commands/budget-options.ts';
import type { ModelFlags } from './commands/model-options.ts';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addDashboard } from './program-dashboard.ts';
import { addGovern } from './program-govern.ts';
import { addQueue } from './program-queue.ts';
import { addSessions } from './program-sessions.ts';
import { addSetup } from './program-setup.ts';
import { storeHelp } from './store-help.ts';
import { visibleLine } from './visible.ts';
import { examples, type Setting } from './program-parts.ts';

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
  addRun(program, setting);
  addChat(program, setting);
  addResume(program, setting);
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

const profileHelp =
  'how the machine behaves: pawl, loom, nexora, savant, lkj, lkj1, or a .json or .yaml file';

const summaryHelp = 'which model sums up what no longer fits: as --model, or "same"';

const traceHelp = 'write every prompt, reply and transition to logs/agent_trace.log, one JSON object a line';

type RunFlags = BudgetFlags &
  ModelFlags & {
    readonly dir: string;
    readonly profile?: string;
    readonly mode?: string;
    readonly autoCommit?: true;
    readonly watchResources?: true;
    readonly open?: true;
    readonly plain?: true;
    readonly quiet?: true;
    readonly store?: string;
    readonly trace?: true;
    readonly traceFile?: string;
    readonly logFile?: string;
    readonly logLevel?: string;
    readonly json?: true;
  };

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

/** What a session can be begun with, whether it has one goal or is a conversation. */
function withRunOptions(command: Command): Command {
  return command
    .option('-d, --dir <folder>', 'the folder to work in', '.')
    .option('-p, --profile <name>', `${profileHelp} (default: "pawl")`)
    .option(
      '-m, --model <spec>',
      'who thinks: librarian (offline), openai:…, anthropic:…, google:…, ollama:… (default: "librarian")',
    )
    .option(
      '--mode <mode>',
      'what runs without asking: read-only, ask, auto-edit, full-auto (default: "ask")',
    )
    .option('--auto-commit', 'keep each step that changes something as a git commit')
    .option('--watch-resources', 'pause while the machine is short of processor time, memory or disk space')
    .option('--base-url <url>', 'where an openai-compatible model is served')
    .option('--summary-model <spec>', summaryHelp)
    .option('--price-in <n>', 'money per million tokens read, for --max-cost')
    .option('--price-out <n>', 'money per million tokens written')
    .option('--max-output-tokens <n>', 'how long one reply may be')
    .option('--max-steps <n>', 'ask the model at most so often, the last time for an answer')
    .option('--max-tool-calls <n>', 'after so many tool calls, ask for an answer')
    .option('--max-tokens <n>', 'after so many tokens, read and written, ask for an answer')
    .option('--max-cost <n>', 'after so much money, ask for an answer; needs prices')
    .option('--max-seconds <n>', 'after so long, ask for an answer')
    .option('--store <where>', storeHelp)
    .option('--trace', traceHelp)
    .option('--trace-file <file>', 'write them to this file instead')
    .option('--log-file <file>', 'add what happens to a file, one JSON object a line, without what is said')
    .option('--log-level <level>', 'how much of it: trace, debug, info, warn, error (default: "info")')
    .option('--open', 'show it in a browser as well, as pawl dashboard does')
    .option('--plain', 'print lines instead of the live view')
    .option('-q, --quiet', 'print the answer only')
    .option('--json', 'print one JSON object a line: what happens, and last the result');
}

function addRun(program: Command, { io, signal, exit }: Setting): void {
  withRunOptions(
    program
      .command('run')
      .description('work on a goal in a folder; offline, answer with quoted, cited passages')
      .argument('<goal...>', 'what you want to know, or to have done'),
  )
    .addHelpText(
      'after',
      examples(
        'pawl run "How are retries counted?"',
        'pawl run --dir ~/notes "When is the garden party?"',
        'pawl run --quiet "What is a pawl?" > answer.txt',
        'pawl run --model anthropic:claude-sonnet-4-5 --mode auto-edit "Make the failing test pass"',
      ),
    )
    .action(async (goal: string[], options: RunFlags) => {
      const { run } = await import('./commands/run.ts');
      exit(await run(goal.join(' '), { ...options, signal }, io));
    });
}

function addChat(program: Command, { io, signal, exit }: Setting): void {
  withRunOptions(
    program
      .command('chat')
      .description('talk with an agent in a folder, for as long as you like')
      .argument('[message...]', 'what to begin with'),
  )
    .addHelpText(
      'after',
      `${examples(
        'pawl chat',
        'pawl chat --model openai:gpt-5 "What does this project do?"',
        `printf 'When is the party?\\nWho comes?\\n' | pawl chat --quiet`,
      )}\n\nWithout a terminal, each line of the input is something you say, and each answer goes to the output.`,
    )
    .action(async (message: string[], options: RunFlags) => {
      const { chat } = await import('./commands/chat.ts');
      exit(await chat(message.length === 0 ? null : message.join(' '), { ...options, signal }, io));
    });
}

type ResumeFlags = ModelFlags &
  Pick<
    RunFlags,
    | 'dir'
    | 'mode'
    | 'watchResources'
    | 'store'
    | 'trace'
    | 'traceFile'
    | 'logFile'
    | 'logLevel'
    | 'plain'
    | 'quiet'
    | 'json'
  > & {
    readonly takeOver?: true;
    readonly trustStore?: true;
  };

function addResume(program: Command, { io, signal, exit }: Setting): void {
  program
    .command('resume')
    .description(
      'go on with a session where it stopped: after Ctrl-C, a closed terminal, a kill, a loss of power',
    )
    .argument('[session]', 'its id, a beginning of it, or last: the newest of the folder', 'last')
    .argument('[message...]', 'something to say in it')
    .option('-d, --dir <folder>', 'the folder whose last session is meant', '.')
    .option('--store <where>', storeHelp)
    .option('-m, --model <spec>', 'another model than the one it was begun with')
    .option('--base-url <url>', 'where that model is served')
    .option('--summary-model <spec>', summaryHelp)
    .option('--mode <mode>', 'what runs without asking from now on: read-only, ask, auto-edit, full-auto')
    .option('--watch-resources', 'pause while the machine is short of processor time, memory or disk space')
    .option('--take-over', 'take it from the process that runs it now')
    .option('--trust-store', 'act on a database that was not made here')
    .option('--trace', traceHelp)
    .option('--trace-file <file>', 'write them to this file instead')
    .option('--log-file <file>', 'add what happens to a file, one JSON object a line, without what is said')
    .option('--log-level <level>', 'how much of it: trace, debug, info, warn, error (default: "info")')
    .option('--plain', 'print lines instead of the live view')
    .option('-q, --quiet', 'print the answer only')
    .option('--json', 'print one JSON object a line: what happens, and last the result')
    .addHelpText(
      'after',
      examples('pawl resume', 'pawl resume 1f3a9c2e', 'pawl resume last "Now write a test for it"'),
    )
    .action(async (session: string, message: string[], options: ResumeFlags) => {
      const { resume } = await import('./commands/resume.ts');
      exit(
        await resume(session, message.length === 0 ? null : message.join(' '), { ...options, signal }, io),
      );
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
    .option('--schema', 'print the JSON Schema of the events and leave')
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

function addChart(program: Command, { io, exit }: Setting): void {
  program
    .command('chart')
    .description('draw a state chart: of the turn, of the modes that are built in, or of your own')
    .argument('[name]', 'turn, savant, lkj, lkj1, loop, or a .json or .yaml file with a chart of modes')
    .option('-f, --format <name>', 'mermaid, svg, xstate or json', 'mermaid')
    .option('-o, --out <file>', 'write to a file instead of standard output')
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
    .action(async (name: string | undefined, options: { format: string; out?: string; list?: true }) => {
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
    .option('-f, --format <name>', 'how to tell: report, json, verdicts', 'report')
    .option('--preset <name>', 'whose rules judge: pawl, nexora, nexora-lenient, savant', 'pawl')
    .option('--price-in <price>', 'what a million tokens cost that the model reads')
    .option('--price-out <price>', 'what a million tokens cost that the model writes')
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

type MemoryFlags = {
  readonly dir: string;
  readonly file?: string;
  readonly storage?: string;
  readonly store?: string;
  readonly tenant?: string;
  readonly json?: true;
};

/** Which memory is meant is said in the same way to every command on it. */
function addMemory(program: Command, { io, exit }: Setting): void {
  const memory = program
    .command('memory')
    .description('look into what an agent remembers, take it out, or put it in')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', examples('pawl memory list', 'pawl memory search attic'));
  const add = (usage: string, description: string): Command =>
    memory
      .command(usage)
      .description(description)
      .option('-d, --dir <folder>', 'the folder that the agent works in', '.')
      .option('--file <file>', 'a memory document instead, such as data/memory.json')
      .option('--storage <file>', 'a storage instead: its SQLite file')
      .option(
        '--store <where>',
        'where sessions are kept: with redis://host:6379, the memory that workers have',
      )
      .option('--tenant <name>', 'whose memory it is, in Redis (default: "default")');
  add('list', 'show what is in working memory and in storage, an entry a line')
    .option('--tags', 'show the tags instead, and how often each is used')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      examples(
        'pawl memory list --storage notes.sqlite --tags',
        'pawl memory list --store redis://host:6379',
      ),
    )
    .action(async (options: MemoryFlags & { tags?: true }) => {
      const { listMemory } = await import('./commands/memory.ts');
      exit(await listMemory(options, io));
    });
  add('search', 'find entries by words in them or in their tags')
    .argument('<words...>', 'what to look for')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', examples('pawl memory search grandmother attic'))
    .action(async (words: string[], options: MemoryFlags) => {
      const { searchMemory } = await import('./commands/memory.ts');
      exit(await searchMemory(words.join(' '), options, io));
    });
  addTransfer(add, { io, exit });
}

function addTransfer(
  add: (usage: string, description: string) => Command,
  { io, exit }: Pick<Setting, 'io' | 'exit'>,
): void {
  add('export', 'write all of a memory as one JSON')
    .option('-o, --out <file>', 'write to a file instead of standard output')
    .option('--force', 'replace that file if it is there')
    .addHelpText('after', examples('pawl memory export --storage notes.sqlite --out notes.json'))
    .action(async (options: MemoryFlags & { out?: string; force?: true }) => {
      const { exportAll } = await import('./commands/memory.ts');
      exit(await exportAll(options, io));
    });
  add('import', 'put what was exported into a memory, which is made if need be')
    .argument('<from>', 'an exported memory, or any memory document')
    .option('--merge', 'add to what is there; of two entries under one key the new one stays (the default)')
    .option('--replace', 'put it in the place of all that is there')
    .option('--json', 'print what was done as one JSON object')
    .addHelpText(
      'after',
      examples(
        'pawl memory import notes.json --storage notes.sqlite',
        'pawl memory import backup.json --file data/memory.json --replace',
      ),
    )
    .action(async (from: string, options: MemoryFlags & { merge?: true; replace?: true }) => {
      const { importAll } = await import('./commands/memory.ts');
      exit(await importAll(from, options, io));
    });
}
