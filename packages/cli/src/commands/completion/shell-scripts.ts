import {
  flattenCommands,
  type CompletionCommand,
  type CompletionValues,
  type CompletionFlag,
} from './tree.ts';

/** Renders a script for bash 3.2 and later that does not need the bash-completion package. */
export function renderBashScript(tree: CompletionCommand): string {
  const all = flattenCommands(tree);
  return `# Bash completion for pawl: source <(pawl completion bash)
_pawl() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at=pawl word kind= list= flags=
  # Bash splits --flag=value into separate words.
  if [[ $current == = ]]; then current=
  elif [[ $before == = ]] && ((COMP_CWORD > 2)); then before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
${renderBashCommandPaths(all)}
    esac
  done
  case "$at $before" in
${all.flatMap(renderBashFlagCases).join('\n')}
  esac
  if [[ -z $kind ]]; then
    case "$at" in
${all.map(renderBashCommandCase).join('\n')}
    esac
    [[ $current == -* ]] && kind=words list=$flags
  fi
  COMPREPLY=()
  case $kind in
    file) compopt -o filenames 2>/dev/null; _pawl_lines < <(compgen -f -- "$current") ;;
    folder) compopt -o filenames 2>/dev/null; _pawl_lines < <(compgen -d -- "$current") ;;
    session) _pawl_words "last $(pawl completion sessions 2>/dev/null)" ;;
    words) _pawl_words "$list" ;;
    words-or-file) _pawl_words "$list"; [[ -n $current ]] && compopt -o filenames 2>/dev/null; [[ -n $current ]] && _pawl_lines < <(compgen -f -- "$current") ;;
  esac
}
_pawl_lines() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
# Match word by word, because compgen -W would expand its argument.
_pawl_words() {
  local word
  set -f
  for word in $1; do
    if [[ $word == "$current"* ]]; then
      COMPREPLY+=("$word")
      [[ $word == *: ]] && compopt -o nospace 2>/dev/null
    fi
  done
  set +f
}
complete -F _pawl pawl
`;
}

function renderBashCommandPaths(all: readonly CompletionCommand[]): string {
  const paths = all.slice(1).map(({ path }) => `"${path}"`);
  return `      ${paths.join('|')}) at="$at $word" ;;`;
}

function renderBashFlagCases({ path, flags }: CompletionCommand): readonly string[] {
  return flags.flatMap(({ long, short, values }) => {
    if (values === null) return [];
    const names = [long, ...(short === null ? [] : [short])].map((name) => `"${path} ${name}"`);
    return [`    ${names.join('|')}) ${renderBashSettings(values)} ;;`];
  });
}

function renderBashCommandCase({ path, flags, commands, words }: CompletionCommand): string {
  const names = flags.flatMap(({ long, short }) => (short === null ? [long] : [long, short]));
  const subcommands = commands.map(({ name }) => name);
  const settings =
    subcommands.length === 0 ? renderBashSettings(words) : `kind=words list='${subcommands.join(' ')}'`;
  return `      "${path}") flags='${names.join(' ')}' ${settings} ;;`;
}

/** Unknown values complete to nothing, neither files nor flags. */
function renderBashSettings(values: CompletionValues): string {
  if (values.kind !== 'words') return `kind=${values.kind}`;
  return `kind=${values.orFile ? 'words-or-file' : 'words'} list='${values.words.join(' ')}'`;
}

/** Renders a zsh function, to be installed as `_pawl` in an `fpath` folder or sourced after compinit. */
export function renderZshScript(tree: CompletionCommand): string {
  const all = flattenCommands(tree);
  return `#compdef pawl
# Zsh completion for pawl.
_pawl() {
  local current="\${words[CURRENT]}" before="\${words[CURRENT-1]}" at=pawl word kind=
  local -a list flags
  # --flag=value is one word in zsh; complete only the part after the sign.
  if [[ $current == --*=* ]]; then
    before="\${current%%=*}"
    compset -P '*='
    current="\${current#*=}"
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${all
        .slice(1)
        .map(({ path }) => quoteShellText(path))
        .join('|')}) at="$at $word" ;;
    esac
  done
  case "$at $before" in
${all.flatMap(renderZshFlagCases).join('\n')}
  esac
  if [[ -z $kind ]]; then
    case "$at" in
${all.map(renderZshCommandCase).join('\n')}
    esac
    if [[ $current == -* ]]; then kind=described list=("\${flags[@]}"); fi
  fi
  case $kind in
    file) _files ;;
    folder) _files -/ ;;
    session) list=(last \${(f)"$(pawl completion sessions 2>/dev/null)"}); compadd -- "\${(@)list}" ;;
    words) compadd -- "\${(@)list:#*:}"; compadd -S '' -- "\${(@M)list:#*:}" ;;
    words-or-file) compadd -- "\${(@)list}"; [[ -n $current ]] && _files ;;
    described) _describe pawl list ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _pawl "$@"; else compdef _pawl pawl; fi
`;
}

function renderZshFlagCases({ path, flags }: CompletionCommand): readonly string[] {
  return flags.flatMap(({ long, short, values }) => {
    if (values === null) return [];
    const names = [long, ...(short === null ? [] : [short])].map((name) => quoteShellText(`${path} ${name}`));
    return [`    ${names.join('|')}) ${renderZshSettings(values)} ;;`];
  });
}

function renderZshCommandCase({ path, flags, commands, words }: CompletionCommand): string {
  const subcommands = commands.map(({ name, description }) => renderZshDescription(name, description));
  const settings =
    subcommands.length === 0 ? renderZshSettings(words) : `kind=described list=(${subcommands.join(' ')})`;
  return `      ${quoteShellText(path)}) flags=(${flags.flatMap(renderZshFlagNames).join(' ')}); ${settings} ;;`;
}

function renderZshFlagNames({ long, short, description }: CompletionFlag): readonly string[] {
  return [long, ...(short === null ? [] : [short])].map((name) => renderZshDescription(name, description));
}

/** zsh completes the part before the colon and shows the part after it. */
function renderZshDescription(name: string, description: string): string {
  return quoteShellText(`${name.replaceAll(':', '\\:')}:${description}`);
}

function renderZshSettings(values: CompletionValues): string {
  if (values.kind !== 'words') return `kind=${values.kind}`;
  const list = values.words.map(quoteShellText).join(' ');
  return `kind=${values.orFile ? 'words-or-file' : 'words'} list=(${list})`;
}

/** Inside single quotes, a shell treats everything literally except single quotes. */
function quoteShellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

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
