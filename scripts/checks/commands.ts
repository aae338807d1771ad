import { allCommands, type CompletedCommand } from '../../packages/cli/src/commands/completion-tree.ts';

/** What is wrong with the commands in a piece of shell: those of ours that there are not, and flags they do not have. */
export function commandFaults(text: string, tree: CompletedCommand): readonly string[] {
  const byPath = new Map(allCommands(tree).map((command) => [command.path, command]));
  return linesOf(text).flatMap((line) => {
    const words = wordsOf(line);
    const [program, ...rest] = words;
    if (program !== 'pawl') return [];
    const command = commandOf(rest, tree, byPath);
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

/** Each command of its own: continued lines are joined, pipes and lists taken apart, comments gone. */
function linesOf(text: string): readonly string[] {
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

/** What stands in quotes is one word, and no flag. */
function wordsOf(line: string): readonly string[] {
  const unset = line.replace(/^(?:[A-Z_]+=\S*\s+)+/, '');
  return [...unset.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+/g)].map(([word]) => word);
}

function commandOf(
  words: readonly string[],
  tree: CompletedCommand,
  byPath: ReadonlyMap<string, CompletedCommand>,
): CompletedCommand | string {
  const [first, second] = words;
  if (first === undefined || first.startsWith('-')) return tree;
  const command = byPath.get(`pawl ${first}`);
  if (command === undefined) return first === 'help' ? tree : first;
  // Without a word of its own, `pawl queue` shows the queue.
  return byPath.get(`pawl ${first} ${second ?? ''}`) ?? byPath.get(`pawl ${first} show`) ?? command;
}
