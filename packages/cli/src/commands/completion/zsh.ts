import {
  flattenCommands,
  type CompletionCommand,
  type CompletionFlag,
  type CompletionValues,
} from './tree.ts';

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
