import {
  getJsonPath,
  isJsonObject,
  toOptionalList,
  toOptionalString,
  type Json,
  type JsonObject,
} from '../json/json.ts';

/** The output of a call without what its host added to it. */
export type HostOutput = {
  readonly text: string;
  /** The exit code that the host reports; null if it reports none. */
  readonly exitCode: number | null;
  /** Whether the host says that the call failed or that it succeeded; null if it does not say. */
  readonly isError: boolean | null;
  /** Whether the command was still running when the host answered. */
  readonly isRunning: boolean;
};

/**
 * Removes what a host writes around the output of a command: exit codes, durations, chunk ids, process groups. Equal
 * results then look equal, in whatever form a client sends them. `isPrinted` says that the call prints what is stored
 * elsewhere, so that JSON with an error is its content.
 */
export function removeHostHeader(output: string, isPrinted = false): HostOutput {
  const text = removeReminders(unwrapUntrustedText(cleanTerminalText(output)));
  return (
    readJsonOutput(text, isPrinted) ??
    readCodexText(text) ??
    readClineText(text) ??
    readContinueText(text) ??
    readTaggedText(text) ??
    readBracketedText(text) ??
    readFieldText(text) ??
    readFirstLine(text) ?? { ...noHeader, text, isError: hostMessage.test(text) ? true : null }
  );
}

/** What a host says instead of an output: the command never ran, or did not end by itself. */
const hostMessage =
  /^(?:The last command <command>|execution error: |failed in sandbox |unsupported call: |(?:Error: )?(?:The )?[Cc]ommand (?:timed out|was (?:aborted|killed|interrupted|cancelled)))/;

const noHeader = { exitCode: null, isError: null, isRunning: false } as const;

/** Removes colors, and what a terminal overwrites, such as progress bars and spinners. */
function cleanTerminalText(text: string): string {
  let cleaned = text;
  // oxlint-disable-next-line no-control-regex
  if (cleaned.includes('\u001B')) cleaned = cleaned.replaceAll(/\u001B\[[\d;?]{0,20}[A-Za-z]/g, '');
  if (cleaned.includes('\r')) cleaned = removeOverwritten(cleaned);
  return cleaned;
}

/** Gemini CLI marks what comes from outside. */
function unwrapUntrustedText(text: string): string {
  return /^<untrusted_context>\n([^]*)\n<\/untrusted_context>\s{0,4}$/.exec(text)?.[1] ?? text;
}

const reminderStart = '<system-reminder>';
const reminderEnd = '</system-reminder>';

/** Removes the notes to the model that Claude Code appends to the result of any call. */
function removeReminders(output: string): string {
  let text = output;
  while (text.includes(reminderEnd, text.length - 2 * reminderEnd.length)) {
    const start = text.trimEnd().endsWith(reminderEnd) ? text.lastIndexOf(reminderStart) : -1;
    if (start === -1) return text;
    text = text.slice(0, start).trimEnd();
  }
  return text;
}

/** Keeps what follows the last carriage return of each line. */
function removeOverwritten(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n');
}

/** Longer JSON is data and not the wrapper of an output that fits into a model's context. */
const wrapperMax = 200_000;

const wrapperSign =
  /"(?:exit_?[cC]ode|return_?code|stdout|isError|is_error|success|ok|error|errors|status|statusCode|status_code|type)"\s?:/;

const signWindow = 2_000;

/** JSON that wraps an output, or says that the call failed. */
function readJsonOutput(text: string, isPrinted: boolean): HostOutput | null {
  if (!hasWrapperSign(text)) return null;
  const value = parseJson(text);
  if (!isJsonObject(value)) return readClineAnswers(value) ?? readContentBlocks(value);
  const exitCode = getExitCode(value);
  const output = getWrappedText(value, exitCode !== null);
  const inner =
    output === null ? readContentBlocks(getJsonPath(value, 'content') ?? null) : removeHostHeader(output);
  const { text: innerText, exitCode: innerCode, isRunning } = inner ?? { ...noHeader, text };
  const isContent = isPrinted && inner === null;
  const isError = isContent ? null : getJsonFailure(value);
  return { text: innerText, exitCode: exitCode ?? innerCode, isError, isRunning };
}

function hasWrapperSign(text: string): boolean {
  const first = text.charAt(0);
  if ((first !== '{' && first !== '[') || text.length > wrapperMax) return false;
  return wrapperSign.test(text.slice(0, signWindow)) || wrapperSign.test(text.slice(-signWindow));
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** The tools of Cline answer several queries at once, such as commands. A failed answer has its text or only an error. */
function readClineAnswers(value: Json): HostOutput | null {
  const answers = toOptionalList(value) ?? [];
  const texts: string[] = [];
  let exitCode: number | null = null;
  let hasFailed = false;
  for (const answer of answers) {
    const result = toOptionalString(getJsonPath(answer, 'result'));
    const success = getJsonPath(answer, 'success');
    if (result === undefined || typeof success !== 'boolean') return null;
    const error = toOptionalString(getJsonPath(answer, 'error')) ?? '';
    const host = removeHostHeader(result === '' ? error : result);
    texts.push(host.text);
    exitCode = host.exitCode ?? exitCode;
    hasFailed ||= !success;
  }
  if (texts.length === 0) return null;
  return { text: texts.join('\n'), exitCode, isError: hasFailed ? true : null, isRunning: false };
}

/** The content of an MCP result, or of a message: a list of blocks of text. */
function readContentBlocks(value: Json): HostOutput | null {
  const blocks = toOptionalList(value);
  if (blocks === undefined || blocks.length === 0) return null;
  const texts = blocks.map((block) => toOptionalString(getJsonPath(block, 'text')));
  if (!texts.every((each) => each !== undefined)) return null;
  return { ...noHeader, text: texts.join('\n') };
}

const exitCodeNames = ['exit_code', 'exitCode', 'returncode', 'return_code', 'exitcode'];

function getExitCode(value: Json): number | null {
  for (const holder of [value, getJsonPath(value, 'metadata'), getJsonPath(value, 'extras')]) {
    for (const name of exitCodeNames) {
      const code = getJsonPath(holder, name);
      if (typeof code === 'number' && Number.isInteger(code)) return code;
    }
  }
  const code = getJsonPath(value, 'metadata', 'exit') ?? getJsonPath(value, 'code');
  const isProcess = getJsonPath(value, 'stdout') !== undefined || getJsonPath(value, 'output') !== undefined;
  return isProcess && typeof code === 'number' && Number.isInteger(code) ? code : null;
}

/** Returns the output in a wrapper; null if the object is the answer itself. */
function getWrappedText(value: Json, hasExitCode: boolean): string | null {
  const stdout = toOptionalString(getJsonPath(value, 'stdout'));
  if (stdout !== undefined) {
    const stderr = toOptionalString(getJsonPath(value, 'stderr')) ?? '';
    return stdout === '' || stderr === '' ? stdout + stderr : `${stdout}\n${stderr}`;
  }
  if (!hasExitCode) return null;
  for (const name of ['output', 'aggregated_output', 'content', 'result', 'message']) {
    const text = toOptionalString(getJsonPath(value, name));
    if (text !== undefined) return text;
  }
  return null;
}

const failedStatus = /^(?:error|failed|failure|fail|errored|denied|rejected)$/i;

/** Whether a JSON answer says that the call failed; null if it does not say. */
function getJsonFailure(value: JsonObject): boolean | null {
  const flag = getJsonPath(value, 'isError') ?? getJsonPath(value, 'is_error');
  if (typeof flag === 'boolean') return flag;
  const saysSo =
    getJsonPath(value, 'success') === false ||
    getJsonPath(value, 'ok') === false ||
    getJsonPath(value, 'type') === 'error' ||
    hasErrorField(value) ||
    hasFailedStatus(value);
  return saysSo ? true : null;
}

function hasErrorField(value: JsonObject): boolean {
  const error = getJsonPath(value, 'error');
  if (error === true || isJsonObject(error)) return true;
  if (typeof error === 'string' && error !== '') return true;
  // GraphQL answers with errors and, if something was found all the same, with data.
  const errors = toOptionalList(getJsonPath(value, 'errors')) ?? [];
  return errors.length > 0 && getJsonPath(value, 'data') === undefined;
}

/** A status of HTTP, or a word. */
function hasFailedStatus(value: JsonObject): boolean {
  for (const name of ['status', 'statusCode', 'status_code']) {
    const status = getJsonPath(value, name);
    if (typeof status === 'number' && status >= 400 && status < 600) return true;
    if (typeof status !== 'string') continue;
    if (/^[45]\d\d$/.test(status) || (failedStatus.test(status) && isShortObject(value))) return true;
  }
  return false;
}

/** A status in a large object is that of a thing, such as an order or a build, and not of the call. */
function isShortObject(value: JsonObject): boolean {
  return Object.keys(value).length <= 4;
}

/** Maximum length of the header lines before a command's output. */
const headerMax = 500;

/** Codex: lines with the exit code and the duration, then `Output:`. Roo Code and others end their header alike. */
function readCodexText(text: string): HostOutput | null {
  if (
    !/^(?:Exit code|Chunk ID|Wall time|Command (?:executed|failed|exited)|Process (?:exited|running))/.test(
      text,
    )
  )
    return null;
  const head = text.slice(0, headerMax);
  const begin = /(?:^|\n|[.:] ?)Output:(?:\n|$)/.exec(head);
  if (begin === null) return null;
  const header = head.slice(0, begin.index + 1);
  return {
    text: text.slice(begin.index + begin[0].length),
    exitCode: findExitCode(header),
    isError: null,
    isRunning: /^Process running with session/m.test(header),
  };
}

/** Cline: a line in brackets before the output, and the error stream after a line of its own. */
function readClineText(text: string): HostOutput | null {
  const line = /^\[Command exited with code (-?\d{1,10})\]\n{0,2}/.exec(text);
  if (line === null) return null;
  const output = text.slice(line[0].length).replace(/(^|\n)\[stderr\]\n/, '$1');
  return { ...noHeader, text: output, exitCode: Number(line[1]) };
}

/** Continue: before the error stream, what failed and the exit code. */
function readContinueText(text: string): HostOutput | null {
  const line = /^Error executing tool [\w.-]{1,80}: (?:Error \(exit code (-?\d{1,10})\): )?/.exec(text);
  if (line === null) return null;
  const [header, code] = line;
  const output = text.slice(header.length);
  return code === undefined
    ? { ...noHeader, text: output, isError: true }
    : { ...noHeader, text: output, exitCode: Number(code) };
}

/** mini-SWE-agent: `<returncode>1</returncode>` and `<output>`. Claude Code: `<tool_use_error>`. */
function readTaggedText(text: string): HostOutput | null {
  const code = /^\s{0,8}<returncode>(-?\d{1,10})<\/returncode>\s{0,8}/.exec(text);
  if (code !== null) {
    const rest = text.slice(code[0].length);
    const output = /^<output>\n?/.exec(rest);
    const end = rest.lastIndexOf('</output>');
    const inner = output === null ? rest : rest.slice(output[0].length, end === -1 ? undefined : end);
    return { ...noHeader, text: inner, exitCode: Number(code[1]) };
  }
  if (/^\s{0,8}<tool_use_error>/.test(text)) {
    const end = text.lastIndexOf('</tool_use_error>');
    const start = text.indexOf('>') + 1;
    return { ...noHeader, text: text.slice(start, end === -1 ? undefined : end), isError: true };
  }
  return null;
}

/** OpenHands and GitHub Copilot CLI: lines in brackets after the output, and opencode: tags after it. */
function readBracketedText(text: string): HostOutput | null {
  const from = Math.max(0, text.length - trailerMax);
  const tail = text.slice(from);
  const trailer =
    /\n?\[(?:The command (?:completed|has no new output|timed out|was)|Command (?:finished|completed|exited)|Jupyter|Python Interpreter|Current working directory|exit code)[^\n]{0,400}\](?:\n|$)|\n{0,2}<(?:bash|shell)_metadata>|\n?<(?:(?:detached )?command with )?shellId: [^\n]{1,80} (?:completed with exit code -?\d|is still running after )[^\n]{0,400}>\s{0,4}$|\n?(?:\([Ee]xit code:? -?\d{1,10}\)|Exit code: -?\d{1,10})\s{0,4}$|\n?\[exit(?:ed with)?(?: code| status)?:? ?-?\d{1,10}\]\s{0,4}$/.exec(
      tail,
    );
  if (trailer === null) return null;
  const said = tail.slice(trailer.index);
  return {
    ...noHeader,
    text: text.slice(0, from + trailer.index).replace(promptAtEnd, ''),
    exitCode: toReportedCode(findExitCode(said)),
    isRunning: /has no new output|timed out after \d|still running/.test(said) && !/exit code \d/.test(said),
  };
}

/** The prompt of an interactive shell after the output. */
const promptAtEnd = /\n[^\s@]{1,60}@[^\s:]{1,80}:[^\n]{0,200}[#$] ?$/;

/** OpenHands reports the exit code -1 for a command that is still running. */
function toReportedCode(code: number | null): number | null {
  return code === -1 ? null : code;
}

const trailerMax = 1_200;

/** Gemini CLI and Qwen Code: one field per line. */
function readFieldText(text: string): HostOutput | null {
  if (!/^(?:Command|Directory|Output|Stdout|Error): /.test(text)) return null;
  const from = Math.max(0, text.length - headerMax);
  const tail = text.slice(from);
  const trailer =
    /\n(?:Error: [^\n]{0,300}\n)?(?:Exit Code|Signal|Background PIDs|Process Group PGID): /.exec(tail);
  if (trailer === null) return null;
  const fields = tail.slice(trailer.index);
  const error = /\nError: ([^\n]*)/.exec(fields)?.[1] ?? '(none)';
  const body = text
    .slice(0, from + trailer.index)
    .replace(/^(?:Command: [^\n]{0,2000}\n)?(?:Directory: [^\n]{0,400}\n)?/, '')
    .replace(/^(?:Output|Stdout): (?:\(empty\))?/, '')
    .replace(/\nStderr: (?:\(empty\)$)?/, '\n');
  return {
    text: error === '(none)' ? body : `${body}\n${error}`,
    exitCode: findExitCode(fields),
    isError: error === '(none)' ? null : true,
    isRunning: false,
  };
}

/** Clients that put the exit code before the output: Claude Code, Pawl's own shell, Cline. */
function readFirstLine(text: string): HostOutput | null {
  const line =
    /^(?:Error: )?(?:Exit code:? (-?\d{1,10})|The command ended with exit code (-?\d{1,10})\.|Command (?:failed|exited|executed) with (?:exit )?code (-?\d{1,10})[.:]?)(?:\n(?:Output:\n)?|$)/.exec(
      text,
    );
  if (line === null) return null;
  return { ...noHeader, text: text.slice(line[0].length), exitCode: Number(line[1] ?? line[2] ?? line[3]) };
}

const exitCodePattern =
  /\b(?:exit(?:ed)?|return(?:ed)?|terminated|finished|completed|failed)\b(?: with)?(?: exit)?[ _-]?(?:code|status)[:=]? {0,2}(-?\d{1,10})\b|\bexit (-?\d{1,10})\]/i;

/** Returns the exit code that a line reports, such as `exited with code 2` or `exit status 1`; null if none. */
export function findExitCode(line: string): number | null {
  const match = exitCodePattern.exec(line);
  return match === null ? null : Number(match[1] ?? match[2]);
}
