import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { createProgram } from '../packages/cli/src/program.ts';
import { configVariables } from '../packages/runtime/src/config/environment-config.ts';
import { jsonOutputs } from './cli-json.ts';
import { renderAlignedTable } from './markdown-table.ts';
import type { GeneratedPage } from './pages.ts';

/** `docs/cli.md`: the prose is defined here, and each command section comes from the command's help. */
export function buildCliPage(): readonly GeneratedPage[] {
  const sections = listLeafCommands(createProgramHelp()).map(renderCommandSection);
  const text = [pageIntro, renderExitCodeTable(), pageOutro, ...sections].join('\n\n');
  return [{ path: 'docs/cli.md', text: `${text}\n` }];
}

type ProgramCommand = ReturnType<typeof createProgram>;

/** Help texts are written to `said`, with the same width on every machine. */
type ProgramHelp = { readonly program: ProgramCommand; readonly said: string[] };

const helpWidth = 110;

function createProgramHelp(): ProgramHelp {
  const said: string[] = [];
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const program = createProgram({ io, signal: new AbortController().signal, exit: () => undefined });
  for (const command of [program, ...listSubcommands(program)]) {
    command
      .configureHelp({ helpWidth: helpWidth })
      .configureOutput({ writeOut: (text) => void said.push(text) });
  }
  return { program, said };
}

function listSubcommands(command: ProgramCommand): readonly ProgramCommand[] {
  return command.commands.flatMap((each) => [each, ...listSubcommands(each)]);
}

type LeafCommand = { readonly path: string; readonly help: string };

/** Lists the commands that do something; command groups are omitted. */
function listLeafCommands({ program, said }: ProgramHelp): readonly LeafCommand[] {
  const told = (command: ProgramCommand, path: string): readonly LeafCommand[] => {
    if (command.commands.length > 0)
      return command.commands.flatMap((each) => told(each, `${path} ${each.name()}`));
    said.length = 0;
    command.outputHelp();
    return [{ path, help: said.join('') }];
  };
  return told(program, 'pawl');
}

function renderCommandSection({ path, help }: LeafCommand): string {
  const json = jsonOutputs.get(path);
  const output = json === undefined ? [] : [`With \`--json\`: ${json}`];
  return [`### ${path}`, `\`\`\`text\n${help.trimEnd()}\n\`\`\``, ...output].join('\n\n');
}

/** The type requires a description for every exit code. */
const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  finished: 'it is done; for `audit`: no run got stuck',
  failed:
    'something went wrong that is nobody’s wrong usage; for `doctor` and `config check`: something is not in order',
  usage: 'called wrongly: an unknown flag, a missing folder, a configuration that cannot be used',
  stuck: 'the governor stopped the work because it went round in circles; for `audit`: a run did',
  budget: 'a budget was used up; there is an answer all the same',
  model: 'the model could not be reached, or would not answer',
  denied: 'something needed permission and did not get it',
  interrupted: 'stopped from outside: Ctrl-C, SIGTERM, an end of the input',
};

function renderExitCodeTable(): string {
  const rows = Object.entries(exitCodes).map(([name, code]) => [
    `\`${code}\``,
    `\`${name}\``,
    exitCodeMeanings[name as keyof typeof exitCodes],
  ]);
  return renderAlignedTable(['code', 'name', 'meaning'], rows);
}

const settingVariables = Object.values(configVariables).map((name) => `\`${name}\``);

const environmentVariables: readonly (readonly [string, string])[] = [
  [settingVariables.join(', '), 'settings; see [configuration.md](configuration.md)'],
  [
    '`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GEMINI_API_KEY`, …',
    'keys and addresses of providers; see [models.md](models.md)',
  ],
  ['`PAWL_DEBUG`', '`1` prints where an unexpected error came from'],
  ['`NO_COLOR`', 'no colour'],
  ['`XDG_CONFIG_HOME`, `XDG_DATA_HOME`', 'where settings and data are, each in a folder `pawl`'],
  [
    '`PAWL_REDIS_URL`, `REDIS_URL`',
    'a Redis for `pawl doctor` to look for; only the first is taken for necessary',
  ],
];

function renderVariableTable(): string {
  return renderAlignedTable(['variable', 'meaning'], environmentVariables);
}

const pageIntro = `# The command line

<!-- Made by \`npm run docs\` from the help of each command. Edits by hand are lost. -->

\`pawl COMMAND --help\` prints what stands below. A wrong call is answered with one line that says what is wrong and what to do.

## Exit codes`;

const pageOutro = `In code they are \`exitCodes\` in \`packages/cli/src/exit-codes.ts\`, with the type \`ExitCode\`.

## Output

What was asked for goes to standard output, everything else to standard error; \`--quiet\` leaves the rest out. Nobody is asked
anything unless there is a terminal to answer at: without one nothing is allowed or trusted that was not before. There is colour
only on a terminal, and none where \`NO_COLOR\` is set.

With \`--json\` standard output is JSON and nothing else: one object, or one a line. Names and meanings of keys stay; new keys may
come, and lines with a \`type\` that is new, so pass over what you do not know.

## The environment

${renderVariableTable()}

## Completion

\`\`\`sh
source <(pawl completion bash)                               # in ~/.bashrc
pawl completion zsh > ~/.zfunc/_pawl                         # in a folder of fpath, before compinit
pawl completion fish > ~/.config/fish/completions/pawl.fish
\`\`\`

It knows commands, flags, profiles, models, formats, files and the sessions of the folder.

## Commands`;
