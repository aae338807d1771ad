/** A command line, as far as it can be analyzed without running it. */
export type ShellLine = {
  /** The words of each of its commands. */
  readonly commands: readonly (readonly string[])[];
  /** Why it is not a single plain command with fully known words; null if it is one. */
  readonly notPlainReason: string | null;
  /** Whether `commands` lists everything that the line runs. */
  readonly isComplete: boolean;
};

/** A longer line either hides something or is a script that belongs in a file. */
const shellLimits = { chars: 10_000, words: 500 } as const;

/**
 * Parses a command line conservatively: it handles quotes and backslashes, and marks every line that uses shell
 * expansion (variables, globs, substitutions) or joins commands as requiring a user's review. On Windows it applies the
 * rules of cmd.exe.
 */
export function parseShellLine(line: string, platform: NodeJS.Platform = process.platform): ShellLine {
  if (line.length > shellLimits.chars) return createUnknownLine('it is too long');
  if (hasHiddenCharacters(line.replaceAll(/[\n\t]/g, ' ')))
    return createUnknownLine('it contains invisible characters');
  const parsed = platform === 'win32' ? parseCmdLine(line) : parsePosixLine(line);
  const words = parsed.commands.reduce((total, { length }) => total + length, 0);
  if (words > shellLimits.words) return createUnknownLine('it has too many words');
  return words === 0 ? createUnknownLine('it is empty') : parsed;
}

function parsePosixLine(line: string): ShellLine {
  const reader = createShellReader();
  for (let at = 0; at < line.length;) at = readCharacter(reader, line, at);
  endCommand(reader);
  for (const [first = ''] of reader.commands) checkCommandName(reader, first);
  return { commands: reader.commands, notPlainReason: reader.notPlainReason, isComplete: reader.isComplete };
}

function createUnknownLine(notPlainReason: string): ShellLine {
  return { commands: [], notPlainReason, isComplete: false };
}

type ShellReader = {
  readonly commands: string[][];
  words: string[];
  /** Null between words; a quoted word may be empty. */
  word: string | null;
  notPlainReason: string | null;
  isComplete: boolean;
};

function createShellReader(): ShellReader {
  return { commands: [], words: [], word: null, notPlainReason: null, isComplete: true };
}

/** Reads one character or one quoted section, and returns the next position. */
function readCharacter(reader: ShellReader, line: string, at: number): number {
  const char = line[at] ?? '';
  switch (getCharacterKind(char)) {
    case 'space':
      endWord(reader);
      return at + 1;
    case 'single':
      return readSingleQuoted(reader, line, at + 1);
    case 'double':
      return readDoubleQuoted(reader, line, at + 1);
    case 'escape':
      return readEscape(reader, line, at + 1);
    case 'join':
      endCommand(reader);
      markNotPlain(reader, 'it joins commands', true);
      return at + 1;
    case 'redirect':
      endWord(reader);
      markNotPlain(reader, 'it redirects input or output', true);
      return at + 1;
    case 'special':
      readSpecial(reader, char, line[at - 1] ?? ' ');
      return at + 1;
    case 'plain':
      appendText(reader, char);
      return at + 1;
  }
}

type ShellCharacterKind =
  | 'space'
  | 'single'
  | 'double'
  | 'escape'
  | 'join'
  | 'redirect'
  | 'special'
  | 'plain';

const characterKinds: ReadonlyMap<string, ShellCharacterKind> = new Map<string, ShellCharacterKind>([
  [' ', 'space'],
  ['\t', 'space'],
  ["'", 'single'],
  ['"', 'double'],
  ['\\', 'escape'],
  ...Array.from('\n;&|()', (char) => [char, 'join'] as const),
  ...Array.from('<>', (char) => [char, 'redirect'] as const),
  ...Array.from('$`*?[]{}~#', (char) => [char, 'special'] as const),
]);

function getCharacterKind(char: string): ShellCharacterKind {
  return characterKinds.get(char) ?? 'plain';
}

function readSingleQuoted(reader: ShellReader, line: string, from: number): number {
  const end = line.indexOf("'", from);
  if (end === -1) markNotPlain(reader, 'it has an unclosed quote', false);
  appendText(reader, line.slice(from, end === -1 ? undefined : end));
  return end === -1 ? line.length : end + 1;
}

function readDoubleQuoted(reader: ShellReader, line: string, from: number): number {
  appendText(reader, '');
  for (let at = from; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (char === '"') return at + 1;
    if (char === '$' || char === '`') markNotPlain(reader, expansionReason, false);
    const next = line[at + 1] ?? '';
    const isEscape = char === '\\' && '$`"\\\n'.includes(next);
    if (isEscape) at += 1;
    appendText(reader, isEscape ? next : char);
  }
  markNotPlain(reader, 'it has an unclosed quote', false);
  return line.length;
}

function readEscape(reader: ShellReader, line: string, at: number): number {
  const char = line[at] ?? '';
  if (char === '' || char === '\n') markNotPlain(reader, 'it ends a line with a backslash', false);
  appendText(reader, char);
  return at + 1;
}

const expansionReason = 'the shell would expand part of it';

/** A tilde is special only at the start of a path, and a hash only at the start of a word. */
function readSpecial(reader: ShellReader, char: string, before: string): void {
  const startsWord = reader.word === null;
  if (char === '#' && startsWord) markNotPlain(reader, 'it contains a comment', false);
  else if (char === '~' ? startsWord || before === '=' || before === ':' : char !== '#') {
    markNotPlain(reader, expansionReason, false);
  }
  appendText(reader, char);
}

/** Words that change the meaning of the words after them. */
const reservedWords: ReadonlySet<string> = new Set(
  '! if then elif else fi for while until do done case esac in function select time coproc [[ ]] eval'.split(
    ' ',
  ),
);

function checkCommandName(reader: ShellReader, first: string): void {
  if (first === '') markNotPlain(reader, 'the command name is empty', false);
  if (/^\w+\+?=/.test(first)) markNotPlain(reader, 'it sets a variable for the command', true);
  if (reservedWords.has(first)) markNotPlain(reader, `"${first}" is a reserved word of the shell`, false);
}

/** Only the first reason is reported. */
function markNotPlain(reader: ShellReader, notPlain: string, isKnown: boolean): void {
  reader.notPlainReason ??= notPlain;
  reader.isComplete &&= isKnown;
}

function appendText(reader: ShellReader, text: string): void {
  reader.word = (reader.word ?? '') + text;
}

function endWord(reader: ShellReader): void {
  if (reader.word !== null) reader.words.push(reader.word);
  reader.word = null;
}

function endCommand(reader: ShellReader): void {
  endWord(reader);
  if (reader.words.length > 0) reader.commands.push(reader.words);
  reader.words = [];
}

/** Words that change the meaning of the words after them. */
const cmdReservedWords: ReadonlySet<string> = new Set('if else for do goto call rem set setlocal'.split(' '));

const cmdExpansionReason = 'the shell would expand part of it';

type CmdReader = {
  readonly commands: string[][];
  words: string[];
  /** Null between words; a quoted word may be empty. */
  word: string | null;
  isQuoted: boolean;
  notPlainReason: string | null;
  isComplete: boolean;
};

/**
 * Parses a command line as cmd.exe does. Only double quotes quote, nothing escapes a quote, and a backslash is part of
 * a path. A line that cmd.exe would expand, or PowerShell would read differently, requires a user's review.
 */
function parseCmdLine(line: string): ShellLine {
  const reader: CmdReader = {
    commands: [],
    words: [],
    word: null,
    isQuoted: false,
    notPlainReason: null,
    isComplete: true,
  };
  for (const char of line) readCmdCharacter(reader, char);
  if (reader.isQuoted) markCmdNotPlain(reader, 'it has an unclosed quote', false);
  endCmdCommand(reader);
  for (const [first = ''] of reader.commands) checkCmdName(reader, first);
  return { commands: reader.commands, notPlainReason: reader.notPlainReason, isComplete: reader.isComplete };
}

function readCmdCharacter(reader: CmdReader, char: string): void {
  if (char === '"') {
    reader.isQuoted = !reader.isQuoted;
    reader.word ??= '';
    return;
  }
  // Percent signs and exclamation marks are expanded within quotes, too.
  if ('%!^'.includes(char)) markCmdNotPlain(reader, cmdExpansionReason, false);
  if (reader.isQuoted) return appendCmdCharacter(reader, char);
  if (char === ' ' || char === '\t') return endCmdWord(reader);
  if ('\n&|();'.includes(char)) {
    endCmdCommand(reader);
    return markCmdNotPlain(reader, 'it joins commands', true);
  }
  if ('<>'.includes(char)) {
    endCmdWord(reader);
    return markCmdNotPlain(reader, 'it redirects input or output', true);
  }
  if ('*?$`'.includes(char)) markCmdNotPlain(reader, cmdExpansionReason, false);
  appendCmdCharacter(reader, char);
}

/** cmd.exe ends a command name at a comma or an equals sign, and drops a leading at sign. */
function checkCmdName(reader: CmdReader, first: string): void {
  if (first === '') markCmdNotPlain(reader, 'the command name is empty', false);
  if (/^@|[,=]/.test(first)) markCmdNotPlain(reader, 'the command name contains a special character', false);
  if (cmdReservedWords.has(first.toLowerCase()))
    markCmdNotPlain(reader, `"${first}" is a reserved word of the shell`, false);
}

/** Only the first reason is reported. */
function markCmdNotPlain(reader: CmdReader, notPlain: string, isKnown: boolean): void {
  reader.notPlainReason ??= notPlain;
  reader.isComplete &&= isKnown;
}

function appendCmdCharacter(reader: CmdReader, char: string): void {
  reader.word = (reader.word ?? '') + char;
}

function endCmdWord(reader: CmdReader): void {
  if (reader.word !== null) reader.words.push(reader.word);
  reader.word = null;
}

function endCmdCommand(reader: CmdReader): void {
  endCmdWord(reader);
  if (reader.words.length > 0) reader.commands.push(reader.words);
  reader.words = [];
}

/*
 * Characters that move the cursor, change the reading direction, are invisible or imitate a space are spelled out, so
 * that the user approves exactly the text shown.
 */
const hiddenPattern = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u{2800}⟨⟩]|(?! )\p{Zs}/u;
const hiddenGlobalPattern = new RegExp(hiddenPattern.source, 'gu');

/** Replaces every deceptive character with its code point in angle brackets, which are themselves escaped: ⟨U+001B⟩. */
export function revealHiddenCharacters(text: string): string {
  return text.replaceAll(hiddenGlobalPattern, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });
}

export function hasHiddenCharacters(text: string): boolean {
  return hiddenPattern.test(text);
}
