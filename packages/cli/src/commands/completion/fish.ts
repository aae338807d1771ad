import {
  flattenCommands,
  type CompletionCommand,
  type CompletionFlag,
  type CompletionValues,
} from './tree.ts';

export function renderFishScript(tree: CompletionCommand): string {
  const all = flattenCommands(tree);
  const paths = all.slice(1).map(({ path }) => quoteFishText(path));
  return `# Fish completion for pawl.
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
${all.flatMap(renderFishCommand).join('\n')}
`;
}

function renderFishCommand({ path, flags, commands, words }: CompletionCommand): readonly string[] {
  const prefix = `complete -c pawl -n ${quoteFishText(`__pawl_at ${quoteFishText(path)}`)}`;
  const values = commands.length === 0 ? renderFishValues(words, 'word') : '';
  return [
    ...commands.map(
      ({ name, description }) => `${prefix} -a ${quoteFishText(name)} -d ${quoteFishText(description)}`,
    ),
    ...(values === '' ? [] : [`${prefix} ${values}`]),
    ...flags.map((flag) => `${prefix} ${renderFishFlag(flag)}`),
  ];
}

function renderFishFlag({ long, short, description, values }: CompletionFlag): string {
  const parts = [
    `-l ${quoteFishText(long.slice(2))}`,
    ...(short === null ? [] : [`-s ${quoteFishText(short.slice(1))}`]),
    `-d ${quoteFishText(description)}`,
    ...(values === null ? [] : [renderFishValues(values, 'flag')]),
  ];
  return parts.join(' ');
}

/** After a flag, `-x` requires a value that is not a file; `-r -F` requires a file. */
function renderFishValues(values: CompletionValues, position: 'flag' | 'word'): string {
  const offer = (list: string): string => `${position === 'flag' ? '-x ' : ''}-a ${quoteFishText(list)}`;
  switch (values.kind) {
    case 'none':
      return position === 'flag' ? '-x' : '';
    case 'file':
      return position === 'flag' ? '-r -F' : '-F';
    case 'folder':
      return offer('(__fish_complete_directories)');
    case 'session':
      return offer('last (pawl completion sessions 2>/dev/null)');
    case 'words': {
      const list = values.words.join(' ');
      if (!values.orFile) return offer(list);
      return `${position === 'flag' ? '-r ' : ''}-F -a ${quoteFishText(list)}`;
    }
    default:
      return values satisfies never;
  }
}

/** Inside single quotes, fish treats everything literally except backslashes and single quotes. */
function quoteFishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
