import { flattenCommands, type CompletionCommand } from '../../packages/cli/src/commands/completion/tree.ts';

/** Finds unknown `pawl` commands and flags in a shell snippet. */
export function findCommandProblems(text: string, tree: CompletionCommand): readonly string[] {
  const byPath = new Map(flattenCommands(tree).map((command) => [command.path, command]));
  return splitCommandLines(text).flatMap((line) => {
    const words = splitShellWords(line);
    const [program, ...rest] = words;
    if (program !== 'pawl') return [];
    const command = findShellCommand(rest, tree, byPath);
    if (typeof command === 'string') return [`${line}: there is no command ${command}`];
    const flags = new Set(
      ['--help', '-h', '--version', '-V'].concat(
        command.flags.flatMap(({ long, short }) => (short === null ? [long] : [long, short])),
      ),
    );
    return rest
      .filter((word) => /^--?[a-z]/i.test(word))
      .map((word) => word.replace(/=.*$/s, ''))
      .filter((flag) => !flags.has(flag))
      .map((flag) => `${line}: ${command.path} has no ${flag}`);
  });
}

/** Splits a snippet into single commands: joins continued lines, splits pipes and lists, and removes comments. */
function splitCommandLines(text: string): readonly string[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .flatMap((line) => line.split(/\s(?:\||&&|;)\s/))
    .map((line) =>
      line
        .trim()
        .replace(/^(?:npx|\$)\s+/, '')
        .replace(/^npm run pawl --\s+/, 'pawl '),
    );
}

/** A quoted string is one word and never a flag. */
function splitShellWords(line: string): readonly string[] {
  const unset = line.replace(/^(?:[A-Z_]+=\S*\s+)+/, '');
  return [...unset.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+/g)].map(([word]) => word);
}

function findShellCommand(
  words: readonly string[],
  tree: CompletionCommand,
  byPath: ReadonlyMap<string, CompletionCommand>,
): CompletionCommand | string {
  const [first, second] = words;
  if (first === undefined || first.startsWith('-')) return tree;
  const command = byPath.get(`pawl ${first}`);
  if (command === undefined) return first === 'help' ? tree : first;
  // `pawl queue` without a subcommand is `pawl queue show`.
  return byPath.get(`pawl ${first} ${second ?? ''}`) ?? byPath.get(`pawl ${first} show`) ?? command;
}
