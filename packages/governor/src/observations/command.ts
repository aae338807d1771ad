import type { Json } from '../json/json.ts';
import { getTextArgument } from './fingerprint.ts';

/**
 * What a call is for, which decides how its output is read. `print` shows what is stored elsewhere (files, logs,
 * history), `search` looks for something, `edit` changes a file, `run` executes a program.
 */
export type CallPurpose = 'print' | 'search' | 'edit' | 'run' | 'other';

/** The facts about a call that decide how its output is read. */
export type CallContext = {
  readonly purpose: CallPurpose;
  /** The shell command; null if the call is none. */
  readonly command: string | null;
  /** Whether the call waits before or until it answers, such as `sleep 30; kubectl get pods`. */
  readonly isWaiting: boolean;
  /** Whether exit code 1 is a negative answer of the program that sets the exit code, such as grep. */
  readonly isExitCode1Answer: boolean;
  /** Whether the command checks the work, such as a test runner or a linter, and fails because of what it finds. */
  readonly isCheck?: boolean;
};

/** Derives the context of a call from its tool and arguments. */
export function describeCall(tool: string, args: Json): CallContext {
  const command = getShellCommand(tool, args);
  return command === null ? describeToolCall(tool, args) : describeCommand(command);
}

const commandArgumentNames = ['command', 'cmd', 'script', 'commandLine', 'CommandLine'];

/** Argument values with which an editor tool selects what it does; they are no shell commands. */
const editorCommands: ReadonlySet<string> = new Set([
  'view',
  'create',
  'str_replace',
  'insert',
  'undo_edit',
  'delete',
]);

/** Other languages also arrive as `command`, such as SQL. */
const otherLanguageTool = /sql|python|node|query|browser|notebook|ctf_submit/i;

function getShellCommand(tool: string, args: Json): string | null {
  if (otherLanguageTool.test(tool)) return null;
  if (typeof args === 'string') return shellTool.test(tool) ? args : null;
  const text = getTextArgument(args, commandArgumentNames);
  if (text !== null) return editorCommands.has(text) ? null : text;
  const words = getCommandWords(args);
  if (words === null) return null;
  const [program = '', flag = '', script] = words;
  return script !== undefined && program.endsWith('sh') && /^-\w*c$/.test(flag) ? script : words.join(' ');
}

const shellTool = /shell|bash|terminal|command|exec|cmd|powershell/i;

/** Some clients send a command as a list of words. */
function getCommandWords(args: Json): readonly string[] | null {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, 'command')) return null;
  const words = (args as { readonly [name: string]: Json })['command'];
  if (!Array.isArray(words)) return null;
  return (words as readonly Json[]).filter((word) => typeof word === 'string');
}

/* Words in the name of a tool that say what it does; the first list that matches decides. */
const waitToolName = /^(?:sleep|wait|wait_for\w*|poll)$/i;
const runToolName = /run|exec|test|build|compile|python|node(?!s)|bash|shell|terminal|notebook|install|lint/i;
const editToolName = /edit|write|create|replace|patch|insert|delete|remove|update|move|rename/i;
const searchToolName = /search|find|grep|glob|list|^ls$|quer|look ?up|sql|match/i;
const printToolName = /read|view|cat$|open|show|fetch|browse|scrape|display|print|diff|log/i;

function describeToolCall(tool: string, args: Json): CallContext {
  return {
    purpose: getToolPurpose(tool, args),
    command: null,
    isWaiting: waitToolName.test(tool),
    isExitCode1Answer: false,
  };
}

function getToolPurpose(tool: string, args: Json): CallPurpose {
  const editorCommand = getTextArgument(args, ['command']);
  if (editorCommand !== null && editorCommands.has(editorCommand))
    return editorCommand === 'view' ? 'print' : 'edit';
  if (searchToolName.test(tool)) return 'search';
  if (editToolName.test(tool)) return 'edit';
  if (runToolName.test(tool)) return 'run';
  return printToolName.test(tool) ? 'print' : 'other';
}

/** Programs that show what is stored elsewhere, or only compute text from their input. */
const printPrograms = createWordSet(
  'cat head tail less more nl bat batcat sed awk gawk tac rev wc sort uniq cut tr column fold fmt expand paste comm ' +
    'join jq yq xxd hexdump od strings diff cmp sdiff stat file du df ps pwd env printenv date whoami id uname hostname ' +
    'echo printf history zcat zless realpath dirname basename readlink md5sum sha1sum sha256sum journalctl dmesg cal ' +
    'test [ [[ man help Get-Content gc type Write-Output Select-Object',
);

/** Programs that look for something: no output means that nothing was found. */
const searchPrograms = createWordSet(
  'grep egrep fgrep zgrep rg ag ack find fd fdfind ls tree locate which whereis pgrep dir Get-ChildItem Select-String',
);

/** Programs whose output says nothing about what the command is for. */
const neutralPrograms = createWordSet(
  'cd pushd popd export set unset shopt source . true false : sleep wait exit return local declare read done fi esac ' +
    'break continue alias ulimit umask trap shift',
);

const gitPrintCommands = createWordSet(
  'log show diff status blame grep ls-files ls-tree branch reflog shortlog rev-parse rev-list config remote tag ' +
    'describe cat-file show-ref whatchanged',
);

/** Programs that answer “no” with exit code 1: nothing matches, something differs, a condition is false. */
const exitCode1Answers = createWordSet(
  'grep egrep fgrep zgrep rg ag ack diff cmp test [ [[ pgrep which type command systemctl git',
);

const logPrograms = createWordSet('docker kubectl podman docker-compose heroku oc');

/** Only the beginning of a long command is read. */
const commandMax = 2_000;

function describeCommand(script: string): CallContext {
  const commands = splitCommands(script.slice(0, commandMax));
  let purpose: CallPurpose | null = null;
  for (const words of commands) {
    const found = getProgramPurpose(words);
    if (found === 'run') purpose = 'run';
    else if (found !== null && purpose !== 'run') purpose ??= found;
  }
  const last = commands.findLast((words) => words[0] !== undefined) ?? [];
  return {
    purpose: purpose ?? 'run',
    command: script,
    isWaiting: isWaitingCommand(script, commands),
    isExitCode1Answer: isExitCode1Answer(last),
    isCheck: purpose === 'run' && commands.some(isCheckCommand),
  };
}

/** Test runners, linters, type checkers. */
const checkPrograms = createWordSet(
  'pytest py.test tox nox nose2 unittest pylint flake8 ruff mypy pyright pycodestyle pydocstyle bandit jest vitest mocha ' +
    'ava jasmine karma playwright cypress eslint tslint tsc oxlint biome stylelint prettier shellcheck hadolint ' +
    'golangci-lint staticcheck rspec rubocop minitest phpunit pest phpstan psalm ctest runtests.py runtests',
);

/** Programs that check the work with one of these words: `go vet`, `npm run lint`, `make check`. */
const checkWords = /^(?:(?:unit)?tests?|check|vet|clippy|lint|typecheck|type-check|spec|verify)(?::[\w-]+)?$/;

const programsWithChecks = createWordSet(
  'go cargo npm pnpm yarn bun deno make mvn gradle gradlew ./gradlew ./mvnw dotnet mix rake bundle composer manage.py ' +
    'bazel swift zig sbt lein stack cabal just task',
);

function isCheckCommand(words: readonly string[]): boolean {
  const [program = '', ...rest] = words;
  const names = rest.slice(0, 4);
  if (isCheckProgram(program)) return true;
  if (programsWithChecks.has(program))
    return names.some((word) => checkWords.test(word) || isCheckProgram(word));
  // Programs that start another one: `python -m pytest`, `npx jest`, `poetry run pytest`, `python manage.py test`.
  if (!/^(?:python[\d.]*|npx|bunx|poetry|uv|uvx|pipenv|hatch|coverage|node|ruby|php)$/.test(program))
    return false;
  return names.some(
    (word, index) =>
      isCheckProgram(word) || (word.endsWith('manage.py') && checkWords.test(names[index + 1] ?? '')),
  );
}

function isCheckProgram(word: string): boolean {
  return checkPrograms.has(word.slice(word.lastIndexOf('/') + 1));
}

function isExitCode1Answer(words: readonly string[]): boolean {
  const [program = ''] = words;
  if (program === 'git') return /^(?:diff|grep|config|show-ref)$/.test(words[1] ?? '');
  return exitCode1Answers.has(program);
}

/** Returns null for a program that says nothing about what the command is for. */
function getProgramPurpose(words: readonly string[]): CallPurpose | null {
  const [program = '', first = ''] = words;
  if (program === '' || neutralPrograms.has(program)) return null;
  if (searchPrograms.has(program)) return hasAction(words) ? 'run' : 'search';
  if (program === 'git' && first === 'grep') return 'search';
  return isPrinting(words) ? 'print' : 'run';
}

function isPrinting(words: readonly string[]): boolean {
  const [program = '', first = '', second = ''] = words;
  if (program === 'git') return gitPrintCommands.has(first);
  if (logPrograms.has(program)) return first === 'logs' || second === 'logs';
  return printPrograms.has(program) && !(program === 'sed' && isEditInPlace(words));
}

/** Whether `find` also does something with what it finds. */
function hasAction(words: readonly string[]): boolean {
  return words.includes('-exec') || words.includes('-delete');
}

function isEditInPlace(words: readonly string[]): boolean {
  return words.slice(1, 3).some((word) => /^-(?:\w*i|-in-place)/.test(word));
}

/** Words that precede the program: keywords of the shell, and programs that only start another one. */
const prefixWords = createWordSet(
  'if then else elif while until do ! time sudo nohup env command exec builtin nice stdbuf xargs timeout { (',
);

/**
 * Splits a script into simple commands, each as its first words from the program on. Quotes, substitutions and here
 * documents are skipped; this is an approximation that never fails.
 */
function splitCommands(script: string): readonly (readonly string[])[] {
  const commands: string[][] = [];
  for (const part of splitAtOperators(removeHereDocuments(script))) {
    const words = readWords(part);
    let start = 0;
    while (start < words.length && isPrefixWord(words, start)) start += 1;
    const word = words[start] ?? '';
    const program = /^[(/{]/.test(word) ? word.replace(/^[({]+/, '').replace(systemFolder, '') : word;
    if (program === '' || program.startsWith('#')) continue;
    commands.push([program, ...words.slice(start + 1)]);
  }
  return commands;
}

/** A program elsewhere, such as `bin/test` of a project, is another one. */
const systemFolder = /^\/(?:usr\/(?:local\/)?)?s?bin\//;

const commandWordsMax = 12;

/** Returns the first words of a simple command, without their quotes. */
function readWords(part: string): readonly string[] {
  const trimmed = part.trim();
  const words: string[] = [];
  for (let from = 0; from < trimmed.length && words.length < commandWordsMax;) {
    let end = from;
    while (end < trimmed.length && !isSpaceCode(trimmed.charCodeAt(end))) end += 1;
    words.push(unquoteWord(trimmed.slice(from, end)));
    while (end < trimmed.length && isSpaceCode(trimmed.charCodeAt(end))) end += 1;
    from = end;
  }
  return words;
}

function isSpaceCode(code: number): boolean {
  if (code < 128) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return /\s/.test(String.fromCharCode(code));
}

function unquoteWord(word: string): string {
  const first = word.charAt(0);
  return (first === '"' || first === "'") && word.endsWith(first) ? word.slice(1, -1) : word;
}

/** Whether the word at this index precedes the program: an assignment, a keyword, or the options of a prefix program. */
function isPrefixWord(words: readonly string[], index: number): boolean {
  const word = words[index] ?? '';
  if (prefixWords.has(word) || (word.includes('=') && /^\w+=/.test(word))) return true;
  return (
    index > 0 && /^(?:timeout|nice|sudo|xargs|env|stdbuf)$/.test(words[0] ?? '') && /^(?:-|\d)/.test(word)
  );
}

/** Splits at `;`, `&`, `|` and line breaks outside quotes and substitutions. */
function splitAtOperators(script: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (let index = 0; index < script.length; index += 1) {
    const code = script.charCodeAt(index);
    if (code >= 128 || syntaxCodes[code] !== 1) continue;
    const char = script.charAt(index);
    if (char === '\\') index += 1;
    else if (isQuote(char)) index = findQuoteEnd(script, index);
    else if (char === '(' && script.charAt(index - 1) === '$') depth += 1;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0 && isOperator(script, index)) {
      parts.push(script.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(script.slice(start));
  return parts;
}

/** Which ASCII characters have a meaning to \`splitAtOperators`. */
const syntaxCodes = Uint8Array.from({ length: 128 }, (_, code) =>
  Number('\\"\'`();&|\n'.includes(String.fromCharCode(code))),
);

function isQuote(char: string): boolean {
  return char === '"' || char === "'" || char === '`';
}

/** Returns the index of the quote that closes the one at this index; of the last character if none does. */
function findQuoteEnd(script: string, open: number): number {
  const quote = script.charAt(open);
  let index = open + 1;
  while (index < script.length && script.charAt(index) !== quote) {
    index += script.charAt(index) === '\\' && quote !== "'" ? 2 : 1;
  }
  return index;
}

/** `2>&1` and `&>` redirect output and separate nothing. */
function isOperator(script: string, index: number): boolean {
  const char = script.charAt(index);
  if (char === '&') return script.charAt(index - 1) !== '>' && script.charAt(index + 1) !== '>';
  return char === ';' || char === '|' || char === '\n';
}

function removeHereDocuments(script: string): string {
  if (!script.includes('<<')) return script;
  const opening = /<<-?\s{0,4}(["']?)([A-Za-z_]\w{0,60})\1/g;
  let kept = '';
  let from = 0;
  for (let match = opening.exec(script); match !== null; match = opening.exec(script)) {
    const lineEnd = script.indexOf('\n', opening.lastIndex);
    kept += script.slice(from, lineEnd === -1 ? script.length : lineEnd);
    if (lineEnd === -1) return kept;
    const close = script.indexOf(`\n${match[2] ?? ''}`, lineEnd);
    if (close === -1) return kept;
    from = close + 1 + (match[2] ?? '').length;
    opening.lastIndex = from;
  }
  return kept + script.slice(from);
}

/** Programs and options that block until something is the case. */
const blockingPattern =
  /^(?:sleep\s+[\d.$]|until\s|watch\s|(?:\.\/)?wait-for|wait-on\s|kubectl\s(?:.{0,100}\s)?(?:wait|rollout status)\b|docker wait\b|gh run watch\b|timeout\s+\S+\s+sleep\b|while\s.{0,400}\bsleep\s|for\s.{0,400}\bsleep\s|Start-Sleep\b)|\scurl?\s.{0,200}--retry[ =]/is;

function isWaitingCommand(script: string, commands: readonly (readonly string[])[]): boolean {
  const start = script.slice(0, 500);
  const head = !/^[\sce]/.test(start)
    ? start
    : start.replace(/^\s*(?:cd\s+[^;&|\n]{1,200}(?:&&|;)\s*)?(?:echo\s[^;&|\n]{0,200}(?:&&|;)\s*)?/, '');
  if (blockingPattern.test(head)) return true;
  return commands.some((words) => words[0] === 'curl' && words.some((word) => word.startsWith('--retry')));
}

function createWordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
