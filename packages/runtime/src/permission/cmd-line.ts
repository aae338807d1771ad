import type { ShellLine } from './shell-words.ts';

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
export function parseCmdLine(line: string): ShellLine {
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
