import { hasHidden } from './visible.ts';

/** A command line, as far as it can be known without running it. */
export type ShellLine = {
  /** The words of every command in it. */
  readonly commands: readonly (readonly string[])[];
  /** Why it is not one plain command whose words are all known; null if it is. */
  readonly notPlain: string | null;
  /** Whether `commands` is all that it runs. */
  readonly isKnown: boolean;
};

/** Whoever writes more has something to hide, or a script that belongs in a file. */
const limits = { chars: 10_000, words: 500 } as const;

/**
 * Reads a command line as a careful stranger would: quotes and backslashes are understood, and everything that a shell
 * would work out (variables, patterns, substitutions) or that joins commands makes it one that a person has to look at.
 */
export function readShell(line: string): ShellLine {
  if (line.length > limits.chars) return unknown('it is very long');
  if (hasHidden(line.replaceAll(/[\n\t]/g, ' '))) return unknown('it has characters that cannot be seen');
  const reader = createReader();
  for (let at = 0; at < line.length;) at = read(reader, line, at);
  endCommand(reader);
  const words = reader.commands.reduce((total, { length }) => total + length, 0);
  if (words > limits.words) return unknown('it has very many words');
  if (words === 0) return unknown('it is empty');
  for (const [first = ''] of reader.commands) checkFirst(reader, first);
  return { commands: reader.commands, notPlain: reader.notPlain, isKnown: reader.isKnown };
}

function unknown(notPlain: string): ShellLine {
  return { commands: [], notPlain, isKnown: false };
}

type Reader = {
  readonly commands: string[][];
  words: string[];
  /** Null between words; a word may be empty when it is quoted. */
  word: string | null;
  notPlain: string | null;
  isKnown: boolean;
};

function createReader(): Reader {
  return { commands: [], words: [], word: null, notPlain: null, isKnown: true };
}

/** Takes one character, or one quoted piece, and tells where the next begins. */
function read(reader: Reader, line: string, at: number): number {
  const char = line[at] ?? '';
  switch (kindOf(char)) {
    case 'space':
      endWord(reader);
      return at + 1;
    case 'single':
      return readSingle(reader, line, at + 1);
    case 'double':
      return readDouble(reader, line, at + 1);
    case 'escape':
      return readEscape(reader, line, at + 1);
    case 'join':
      endCommand(reader);
      complain(reader, 'it joins commands', true);
      return at + 1;
    case 'redirect':
      endWord(reader);
      complain(reader, 'it redirects input or output', true);
      return at + 1;
    case 'special':
      readSpecial(reader, char, line[at - 1] ?? ' ');
      return at + 1;
    case 'plain':
      add(reader, char);
      return at + 1;
  }
}

type Kind = 'space' | 'single' | 'double' | 'escape' | 'join' | 'redirect' | 'special' | 'plain';

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [' ', 'space'],
  ['\t', 'space'],
  ["'", 'single'],
  ['"', 'double'],
  ['\\', 'escape'],
  ...Array.from('\n;&|()', (char) => [char, 'join'] as const),
  ...Array.from('<>', (char) => [char, 'redirect'] as const),
  ...Array.from('$`*?[]{}~#', (char) => [char, 'special'] as const),
]);

function kindOf(char: string): Kind {
  return kinds.get(char) ?? 'plain';
}

function readSingle(reader: Reader, line: string, from: number): number {
  const end = line.indexOf("'", from);
  if (end === -1) complain(reader, 'a quote does not close', false);
  add(reader, line.slice(from, end === -1 ? undefined : end));
  return end === -1 ? line.length : end + 1;
}

function readDouble(reader: Reader, line: string, from: number): number {
  add(reader, '');
  for (let at = from; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (char === '"') return at + 1;
    if (char === '$' || char === '`') complain(reader, workedOut, false);
    const next = line[at + 1] ?? '';
    const isEscape = char === '\\' && '$`"\\\n'.includes(next);
    if (isEscape) at += 1;
    add(reader, isEscape ? next : char);
  }
  complain(reader, 'a quote does not close', false);
  return line.length;
}

function readEscape(reader: Reader, line: string, at: number): number {
  const char = line[at] ?? '';
  if (char === '' || char === '\n') complain(reader, 'it ends a line with a backslash', false);
  add(reader, char);
  return at + 1;
}

const workedOut = 'the shell would work out a part of it';

/** A tilde means something only where a path may begin, and a hash only where a word may. */
function readSpecial(reader: Reader, char: string, before: string): void {
  const begins = reader.word === null;
  if (char === '#' && begins) complain(reader, 'a part of it is a comment', false);
  else if (char === '~' ? begins || before === '=' || before === ':' : char !== '#') {
    complain(reader, workedOut, false);
  }
  add(reader, char);
}

/** Words that change what the words after them mean. */
const reserved: ReadonlySet<string> = new Set(
  '! if then elif else fi for while until do done case esac in function select time coproc [[ ]] eval'.split(
    ' ',
  ),
);

function checkFirst(reader: Reader, first: string): void {
  if (first === '') complain(reader, 'the name of the command is empty', false);
  if (/^\w+\+?=/.test(first)) complain(reader, 'it sets a variable for the command', true);
  if (reserved.has(first)) complain(reader, `"${first}" means something to the shell`, false);
}

/** The first complaint is the one told. */
function complain(reader: Reader, notPlain: string, isKnown: boolean): void {
  reader.notPlain ??= notPlain;
  reader.isKnown &&= isKnown;
}

function add(reader: Reader, text: string): void {
  reader.word = (reader.word ?? '') + text;
}

function endWord(reader: Reader): void {
  if (reader.word !== null) reader.words.push(reader.word);
  reader.word = null;
}

function endCommand(reader: Reader): void {
  endWord(reader);
  if (reader.words.length > 0) reader.commands.push(reader.words);
  reader.words = [];
}
