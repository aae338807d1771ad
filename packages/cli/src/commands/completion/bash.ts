import { flattenCommands, type CompletionCommand, type CompletionValues } from './tree.ts';

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
