import { allCommands, type CompletedCommand, type CompletedFlag } from './completion-tree.ts';
import type { Values } from './completion-values.ts';

/** A function for zsh, to be found as `_pawl` in a folder of `fpath`, or to be sourced after compinit. */
export function zshScript(tree: CompletedCommand): string {
  const all = allCommands(tree);
  return `#compdef pawl
# Completes the commands, flags and names of pawl in zsh.
_pawl() {
  local current="\${words[CURRENT]}" before="\${words[CURRENT-1]}" at=pawl word kind=
  local -a list flags
  # --flag=value is one word here; what is before the sign is not completed again.
  if [[ $current == --*=* ]]; then
    before="\${current%%=*}"
    compset -P '*='
    current="\${current#*=}"
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${all
        .slice(1)
        .map(({ path }) => quoted(path))
        .join('|')}) at="$at $word" ;;
    esac
  done
  case "$at $before" in
${all.flatMap(flagCases).join('\n')}
  esac
  if [[ -z $kind ]]; then
    case "$at" in
${all.map(commandCase).join('\n')}
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

function flagCases({ path, flags }: CompletedCommand): readonly string[] {
  return flags.flatMap(({ long, short, values }) => {
    if (values === null) return [];
    const names = [long, ...(short === null ? [] : [short])].map((name) => quoted(`${path} ${name}`));
    return [`    ${names.join('|')}) ${settings(values)} ;;`];
  });
}

function commandCase({ path, flags, commands, words }: CompletedCommand): string {
  const below = commands.map(({ name, description }) => described(name, description));
  const own = below.length === 0 ? settings(words) : `kind=described list=(${below.join(' ')})`;
  return `      ${quoted(path)}) flags=(${flags.flatMap(flagNames).join(' ')}); ${own} ;;`;
}

function flagNames({ long, short, description }: CompletedFlag): readonly string[] {
  return [long, ...(short === null ? [] : [short])].map((name) => described(name, description));
}

/** What stands before the colon is completed, what stands after it is shown. */
function described(name: string, description: string): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${description}`);
}

function settings(values: Values): string {
  if (values.kind !== 'words') return `kind=${values.kind}`;
  const list = values.words.map(quoted).join(' ');
  return `kind=${values.orFile ? 'words-or-file' : 'words'} list=(${list})`;
}

/** Between single quotes a shell reads everything as it stands, but for these themselves. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
