import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { createProgram } from '../packages/cli/src/program.ts';
import { configVariables } from '../packages/runtime/src/config/config-from-environment.ts';
import { jsonOutputs } from './cli-json.ts';
import { markdownTable } from './markdown-table.ts';
import type { Page } from './pages.ts';

/** `docs/cli.md`: the prose stands here, every command is told by its own help. */
export function cliPage(): readonly Page[] {
  const sections = leavesOf(programWithHelp()).map(section);
  const text = [before, exitCodeTable(), after, ...sections].join('\n\n');
  return [{ path: 'docs/cli.md', text: `${text}\n` }];
}

type Command = ReturnType<typeof createProgram>;

/** The help of each command goes into `said`, as wide on every machine. */
type Told = { readonly program: Command; readonly said: string[] };

const columns = 110;

function programWithHelp(): Told {
  const said: string[] = [];
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const program = createProgram({ io, signal: new AbortController().signal, exit: () => undefined });
  for (const command of [program, ...below(program)]) {
    command
      .configureHelp({ helpWidth: columns })
      .configureOutput({ writeOut: (text) => void said.push(text) });
  }
  return { program, said };
}

function below(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...below(each)]);
}

type Leaf = { readonly path: string; readonly help: string };

/** Commands that do something; those that are only a name for others have nothing more to say. */
function leavesOf({ program, said }: Told): readonly Leaf[] {
  const told = (command: Command, path: string): readonly Leaf[] => {
    if (command.commands.length > 0)
      return command.commands.flatMap((each) => told(each, `${path} ${each.name()}`));
    said.length = 0;
    command.outputHelp();
    return [{ path, help: said.join('') }];
  };
  return told(program, 'pawl');
}

function section({ path, help }: Leaf): string {
  const json = jsonOutputs.get(path);
  const output = json === undefined ? [] : [`With \`--json\`: ${json}`];
  return [`### ${path}`, `\`\`\`text\n${help.trimEnd()}\n\`\`\``, ...output].join('\n\n');
}

/** A code does not compile here until somebody says what it means. */
const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
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

function exitCodeTable(): string {
  const rows = Object.entries(exitCodes).map(([name, code]) => [
    `\`${code}\``,
    `\`${name}\``,
    meanings[name as keyof typeof exitCodes],
  ]);
  return markdownTable(['code', 'name', 'meaning'], rows);
}

const settings = Object.values(configVariables).map((name) => `\`${name}\``);

const variables: readonly (readonly [string, string])[] = [
  [settings.join(', '), 'settings; see [configuration.md](configuration.md)'],
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

function variableTable(): string {
  return markdownTable(['variable', 'meaning'], variables);
}

const before = `# The command line

<!-- Made by \`npm run docs\` from the help of each command. Edits by hand are lost. -->

\`pawl COMMAND --help\` prints what stands below. A wrong call is answered with one line that says what is wrong and what to do.

## Exit codes`;

const after = `In code they are \`exitCodes\` in \`packages/cli/src/exit-codes.ts\`, with the type \`ExitCode\`.

## Output

What was asked for goes to standard output, everything else to standard error; \`--quiet\` leaves the rest out. Nobody is asked
anything unless there is a terminal to answer at: without one nothing is allowed or trusted that was not before. There is colour
only on a terminal, and none where \`NO_COLOR\` is set.

With \`--json\` standard output is JSON and nothing else: one object, or one a line. Names and meanings of keys stay; new keys may
come, and lines with a \`type\` that is new, so pass over what you do not know.

## The environment

${variableTable()}

## Completion

\`\`\`sh
source <(pawl completion bash)                               # in ~/.bashrc
pawl completion zsh > ~/.zfunc/_pawl                         # in a folder of fpath, before compinit
pawl completion fish > ~/.config/fish/completions/pawl.fish
\`\`\`

It knows commands, flags, profiles, models, formats, files and the sessions of the folder.

## Commands`;
