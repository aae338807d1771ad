import { fits, parseNameGlob } from '../search/glob.ts';
import { readShell, type ShellLine } from './shell-words.ts';

/*
 * A pattern for commands is a list of words: `git log --oneline *`. A word that begins with `*` or `?` stands for one word
 * that is no option, so that `git log *` does not let `--output=…` through; `**` by itself stands for any words at all. A
 * backslash makes the next character an ordinary one.
 */
type WordPattern = '**' | ((word: string) => boolean);

/** Whether a command line is one plain command that fits. */
export function isPlainly(pattern: string, { commands, notPlain }: ShellLine): boolean {
  const [words] = commands;
  return notPlain === null && words !== undefined && fitsWords(compile(pattern), words);
}

/**
 * Whether a command that fits might be run by this line: by any of its commands, behind others that run it (`env`, `xargs`,
 * `sudo`), inside a word that is a command line itself (`sh -c`), by its full path, with options in between.
 */
export function isSomewhere(pattern: string, line: ShellLine): boolean {
  // What it is called with does not make it another command.
  const compiled = [...compile(pattern), '**' as const];
  return everyCommand(line, 0).some((words) =>
    readingsOf(words).some((reading) => fitsWords(compiled, reading)),
  );
}

/** A pattern that only these words fit; null when that cannot be written. */
export function literalPattern(words: readonly string[]): string | null {
  if (words.some((word) => word === '' || /\s/.test(word))) return null;
  return words.map((word) => word.replaceAll(/[*?[\]{}()\\]/g, String.raw`\$&`)).join(' ');
}

function compile(pattern: string): readonly WordPattern[] {
  const words = pattern.match(/(?:\\.|[^\s\\])+/gs) ?? [];
  return words.map((word): WordPattern => {
    if (word === '**') return '**';
    const fitsWord = parseNameGlob(word);
    return /^[*?[]/.test(word) ? (given) => !given.startsWith('-') && fitsWord(given) : fitsWord;
  });
}

function fitsWords(pattern: readonly WordPattern[], words: readonly string[]): boolean {
  return fits(pattern, words, {
    isAnyNumber: (part) => part === '**',
    fitsOne: (part, word) => part !== '**' && part(word),
  });
}

const nestingMax = 3;

/** The commands of a line and of every word that could be a line itself. */
function everyCommand({ commands }: ShellLine, depth: number): readonly (readonly string[])[] {
  if (depth === nestingMax) return commands;
  const inner = commands.flat().filter((word) => /[\s;&|<>()]/.test(word));
  return [...commands, ...inner.flatMap((word) => everyCommand(readShell(word), depth + 1))];
}

/** The ways a command may be meant: from each of its words on, with and without options and what follows them. */
function readingsOf(words: readonly string[]): readonly (readonly string[])[] {
  const withoutOptions = words.filter((word) => !word.startsWith('-'));
  const withoutValues = words.filter(
    (word, at) => !word.startsWith('-') && !(words[at - 1]?.startsWith('-') ?? false),
  );
  return [words, withoutOptions, withoutValues].flatMap((variant) =>
    variant.flatMap((word, at) => {
      const rest = variant.slice(at + 1);
      const name = word.slice(word.lastIndexOf('/') + 1);
      return name === word
        ? [[word, ...rest]]
        : [
            [word, ...rest],
            [name, ...rest],
          ];
    }),
  );
}
