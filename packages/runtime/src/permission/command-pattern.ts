import { compileNames } from '../search/glob.ts';
import { parseShellLine, type ShellLine } from './shell-words.ts';

/*
 * A command pattern is a list of words: `git log --oneline *`. A word that begins with `*` or `?` matches one word that
 * is not an option, so that `git log *` does not allow `--output=…`; `**` by itself matches any number of words. A
 * backslash escapes the next character.
 */

/** Whether the line is one plain command that matches the pattern. */
export function matchesPlainCommand(pattern: string, { commands, notPlainReason }: ShellLine): boolean {
  const [words] = commands;
  return (
    notPlainReason === null && words !== undefined && compileCommandPattern(listPatternWords(pattern))(words)
  );
}

/**
 * Whether this line might run a matching command: as any of its commands, through a wrapper (`env`, `xargs`, `sudo`),
 * inside a word that is a command line itself (`sh -c`), by its full path, or with options in between.
 */
export function matchesAnyCommand(
  pattern: string,
  line: ShellLine,
  platform: NodeJS.Platform = process.platform,
): boolean {
  // Where file names are case-insensitive, so are program names.
  const fold = (text: string): string =>
    platform === 'darwin' || platform === 'win32' ? text.toLowerCase() : text;
  // Additional arguments do not make it another command.
  const matches = compileCommandPattern([...listPatternWords(fold(pattern)), '**']);
  return listNestedCommands(line, 0, platform).some((words) =>
    listCommandReadings(words.map(fold), platform).some(matches),
  );
}

/** Less than the length of a rule in text form. */
const patternLengthMax = 15_000;

/** Returns a pattern that matches exactly these words; null if there is none. */
export function toLiteralPattern(words: readonly string[]): string | null {
  if (words.some((word) => word === '' || /\s/.test(word))) return null;
  const pattern = words.map((word) => word.replaceAll(/[*?[\]{}()\\]/g, String.raw`\$&`)).join(' ');
  return pattern.length > patternLengthMax ? null : pattern;
}

function listPatternWords(pattern: string): readonly string[] {
  return pattern.match(/(?:\\.|[^\s\\])+/gs) ?? [];
}

/** Words are matched with their kind, so that a wildcard at the beginning of a pattern does not match an option. */
function compileCommandPattern(patterns: readonly string[]): (words: readonly string[]) => boolean {
  const matches = compileNames(
    patterns.map((each) => (each === '**' ? each : labelWord(each, /^\\?-/.test(each)))),
  );
  return (words) => matches(words.map((word) => labelWord(word, word.startsWith('-'))));
}

function labelWord(word: string, isOption: boolean): string {
  return `${isOption ? '-' : '+'}${word}`;
}

const nestingMax = 3;

/** Lists the commands of a line and of every word that could itself be a command line. */
function listNestedCommands(
  { commands }: ShellLine,
  depth: number,
  platform: NodeJS.Platform,
): readonly (readonly string[])[] {
  if (depth === nestingMax) return commands;
  const inner = commands.flat().filter((word) => /[\s;&|<>()]/.test(word));
  return [
    ...commands,
    ...inner.flatMap((word) => listNestedCommands(parseShellLine(word, platform), depth + 1, platform)),
  ];
}

/** Lists the possible readings of a command: from each of its words on, with and without options and their values. */
function listCommandReadings(
  words: readonly string[],
  platform: NodeJS.Platform,
): readonly (readonly string[])[] {
  const withoutOptions = words.filter((word) => !word.startsWith('-'));
  const withoutValues = words.filter(
    (word, at) => !word.startsWith('-') && !(words[at - 1]?.startsWith('-') ?? false),
  );
  return [words, withoutOptions, withoutValues].flatMap((variant) =>
    variant.flatMap((word, at) => {
      const rest = variant.slice(at + 1);
      const name = getProgramName(word, platform);
      return name === word
        ? [[word, ...rest]]
        : [
            [word, ...rest],
            [name, ...rest],
          ];
    }),
  );
}

/** Returns a program's name without its folder and, on Windows, without its optional extension. */
function getProgramName(word: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return word.slice(word.lastIndexOf('/') + 1);
  return word.replace(/^.*[\\/]/s, '').replace(/\.(?:com|exe|bat|cmd)$/, '');
}
