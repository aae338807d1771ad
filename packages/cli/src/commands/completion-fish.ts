import { allCommands, type CompletedCommand, type CompletedFlag } from './completion-tree.ts';
import type { Values } from './completion-values.ts';

/** A script for fish 3 and later. */
export function fishScript(tree: CompletedCommand): string {
  const all = allCommands(tree);
  const paths = all.slice(1).map(({ path }) => quoted(path));
  return `# Completes the commands, flags and names of pawl in fish.
function __pawl_at
  set -l at pawl
  for word in (commandline -opc)[2..-1]
    if contains -- "$at $word" ${paths.join(' ')}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c pawl -f
${all.flatMap(linesFor).join('\n')}
`;
}

function linesFor({ path, flags, commands, words }: CompletedCommand): readonly string[] {
  const begin = `complete -c pawl -n ${quoted(`__pawl_at ${quoted(path)}`)}`;
  const own = commands.length === 0 ? valueParts(words, 'word') : '';
  return [
    ...commands.map(({ name, description }) => `${begin} -a ${quoted(name)} -d ${quoted(description)}`),
    ...(own === '' ? [] : [`${begin} ${own}`]),
    ...flags.map((flag) => `${begin} ${flagParts(flag)}`),
  ];
}

function flagParts({ long, short, description, values }: CompletedFlag): string {
  const parts = [
    `-l ${quoted(long.slice(2))}`,
    ...(short === null ? [] : [`-s ${quoted(short.slice(1))}`]),
    `-d ${quoted(description)}`,
    ...(values === null ? [] : [valueParts(values, 'flag')]),
  ];
  return parts.join(' ');
}

/** After a flag, `-x` says that there is a value and that files are none; `-r -F` that they are. */
function valueParts(values: Values, after: 'flag' | 'word'): string {
  const offer = (list: string): string => `${after === 'flag' ? '-x ' : ''}-a ${quoted(list)}`;
  switch (values.kind) {
    case 'none':
      return after === 'flag' ? '-x' : '';
    case 'file':
      return after === 'flag' ? '-r -F' : '-F';
    case 'folder':
      return offer('(__fish_complete_directories)');
    case 'session':
      return offer('last (pawl completion sessions 2>/dev/null)');
    case 'words': {
      const list = values.words.join(' ');
      if (!values.orFile) return offer(list);
      return `${after === 'flag' ? '-r ' : ''}-F -a ${quoted(list)}`;
    }
    default:
      return values satisfies never;
  }
}

/** Between single quotes fish reads everything as it stands, but for these and backslashes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
