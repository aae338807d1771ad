import type { Json } from '../json/json.ts';
import { describeCall, type CallContext } from './command.ts';
import {
  beginsLikeFailure,
  beginsLikeReadFailure,
  failureHint,
  hasStackTrace,
  isCertainFailure,
  isErrorName,
  isProgramMessage,
  isStackFrame,
  isTraceStart,
  saysComeBackLater,
  saysNotDone,
  saysNothingFound,
  saysRateLimited,
  saysTruncated,
  saysUnreachable,
} from './failure-lines.ts';
import { classifyError, removeShellLines } from './fingerprint.ts';
import { findExitCode, removeHostHeader, type HostOutput } from './host-header.ts';

/** What is known about a finished call. */
export type ToolResultFacts = {
  readonly tool: string;
  readonly args: Json;
  /** The output as the model sees it. */
  readonly output: string;
  /** Whether the host marked the call as failed; undefined if it marks nothing. */
  readonly isError?: boolean | undefined;
  /** The exit code, if the host reports it apart from the output. */
  readonly exitCode?: number | null | undefined;
  /** The context of the call, if it is known and the arguments no longer are. */
  readonly context?: CallContext | undefined;
};

/**
 * `failed`: the call did not do what it was for. `empty`: it looked for something and found nothing. `waiting`: what it
 * asked for is not ready yet.
 */
export type ToolResultStatus = 'succeeded' | 'failed' | 'empty' | 'waiting';

/** What the result of a call says, in whatever form a client reports it. */
export type ToolResultReading = {
  readonly status: ToolResultStatus;
  readonly exitCode: number | null;
  /** The normalized kind of error; null unless the call failed. Equal errors of different calls have equal classes. */
  readonly errorClass: string | null;
  /** Whether a check, such as a test runner or a linter, failed because of what it found. */
  readonly hasFindings: boolean;
  /** How many failures or errors a failed call counts, such as in `3 failed, 9 passed`; null if it does not say. */
  readonly failures: number | null;
  /** The output without what the host added: equal results have equal texts. */
  readonly text: string;
  /** Whether something was omitted from the output. */
  readonly isTruncated: boolean;
  /** Whether the call itself waits, such as `sleep 30; kubectl get pods`. */
  readonly isWaitingCall: boolean;
  /** What decided the status. */
  readonly reason: string;
};

/** Reads the result of a call. Pure, never throws, and reads only the head and the tail of a long output. */
export function readToolResult(facts: ToolResultFacts): ToolResultReading {
  const reading = judgeToolResult(facts);
  const { head, tail } = readLines(reading.text);
  return { ...reading, isTruncated: saysTruncated(head) || (tail !== '' && saysTruncated(tail)) };
}

/** Reads the result of a call, except for whether it is truncated, which decides nothing. */
export function judgeToolResult(facts: ToolResultFacts): Omit<ToolResultReading, 'isTruncated'> {
  const context = facts.context ?? describeCall(facts.tool, facts.args);
  const host = removeEcho(removeHostHeader(facts.output, isPrinting(context)), context);
  const lines = readLines(host.text);
  const exitCode = facts.exitCode ?? host.exitCode ?? findTrailingExitCode(lines, context);
  const { status, reason } = judgeResult({ facts, host, context, lines, exitCode });
  const hasFindings = status === 'failed' && isFinding(context, lines, exitCode);
  return {
    status,
    exitCode,
    errorClass: status === 'failed' ? classifyResult(host.text, hasFindings ? context : null) : null,
    hasFindings,
    failures: status === 'failed' ? countFailures(lines) : null,
    text: host.text,
    isWaitingCall: context.isWaiting,
    reason,
  };
}

/** Some terminals repeat the command before its output. */
function removeEcho(host: HostOutput, { command }: CallContext): HostOutput {
  if (command === null || command.length <= 3) return host;
  const echo = `${command.trimEnd()}\n`;
  return host.text.startsWith(echo) ? { ...host, text: host.text.slice(echo.length) } : host;
}

type Judgment = { readonly status: ToolResultStatus; readonly reason: string };

type JudgedResult = {
  readonly facts: ToolResultFacts;
  readonly host: HostOutput;
  readonly context: CallContext;
  readonly lines: OutputLines;
  readonly exitCode: number | null;
};

/** An answer about a status is short; a longer text that contains such words says more than that. */
const statusTextMax = 400;

/** What the host knows comes first; without it, or if it says that all is well, the text decides. */
function judgeResult(result: JudgedResult): Judgment {
  const { facts, host, context, lines, exitCode } = result;
  if (host.isRunning) return { status: 'waiting', reason: 'the command is still running' };
  if (isShortAnswer(host) && saysNotReady(host.text, context))
    return { status: 'waiting', reason: quoteLine(lines.first) };
  const isMarked = facts.isError === true || host.isError === true;
  if (exitCode !== null && exitCode !== 0) return judgeExitCode(result, exitCode, isMarked);
  return isMarked ? judgeMarkedError(result) : judgeText(result);
}

/** Whether the call only has to be made again later, even if a host marks the answer as an error. */
function saysNotReady(text: string, { isWaiting }: CallContext): boolean {
  return saysComeBackLater(text) || (isWaiting && saysUnreachable(text));
}

function isShortAnswer({ text }: HostOutput): boolean {
  return text.length <= statusTextMax;
}

function judgeText(result: JudgedResult): Judgment {
  const { host, lines } = result;
  const failure = findFailure(result);
  if (failure !== null) return { status: 'failed', reason: quoteLine(failure) };
  const isWaiting = isShortAnswer(host) && (saysNotDone(host.text) || saysRateLimited(host.text));
  return isWaiting && !isPrinting(result.context)
    ? { status: 'waiting', reason: quoteLine(lines.first) }
    : judgeSuccess(result);
}

/** Exit code 1 without a message is an answer: grep found nothing, files differ, a condition is false. */
function judgeExitCode(
  { host, context, lines }: JudgedResult,
  exitCode: number,
  isMarked: boolean,
): Judgment {
  const reason = `exit code ${exitCode}`;
  if (exitCode !== 1) return { status: 'failed', reason };
  if (lines.first === '' && (context.isExitCode1Answer || !isMarked)) return { status: 'empty', reason };
  const isAnswer = context.isExitCode1Answer && !lines.sample.some(isProgramMessage);
  if (!isAnswer || isCertainFailure(lines.last)) return { status: 'failed', reason };
  return { status: saysNothingFound(host.text) ? 'empty' : 'succeeded', reason };
}

function judgeMarkedError({ context, lines }: JudgedResult): Judgment {
  const reason = 'marked as an error';
  return lines.first === '' && context.isExitCode1Answer
    ? { status: 'empty', reason }
    : { status: 'failed', reason };
}

/** Content that is only printed may contain any words. */
function isPrinting({ command, purpose }: CallContext): boolean {
  return command !== null && (purpose === 'print' || purpose === 'search');
}

function judgeSuccess({ host, context, lines, exitCode }: JudgedResult): Judgment {
  const reason = exitCode === 0 ? 'exit code 0' : 'no sign of a failure';
  const isLooking =
    context.purpose === 'search' || context.purpose === 'other' || context.purpose === 'print';
  const isEmpty =
    lines.first === ''
      ? context.purpose === 'search'
      : isLooking && host.text.length <= statusTextMax && saysNothingFound(host.text);
  return isEmpty ? { status: 'empty', reason: 'nothing was found' } : { status: 'succeeded', reason };
}

/** Returns the line that says that the call failed, or null. */
function findFailure(result: JudgedResult): string | null {
  const { facts, host, context, lines, exitCode } = result;
  if (lines.first === '') return null;
  const isFine = facts.isError === false || host.isError === false || exitCode === 0;
  switch (context.purpose) {
    case 'print':
    case 'search':
      return context.command !== null
        ? findOwnFailure(lines, context.command, isFine)
        : findToolFailure(lines, host.text, isFine);
    case 'edit':
      return findToolFailure(lines, host.text, isFine);
    case 'run':
    case 'other':
      return findRunFailure(lines, isFine, context);
    default:
      return context.purpose satisfies never;
  }
}

/**
 * A command that prints or searches fails with messages of its own. They are at least half of what it prints, and all
 * of it if the host says that the command succeeded.
 */
function findOwnFailure({ sample, first }: OutputLines, command: string, isFine: boolean): string | null {
  const isOwn = (line: string): boolean =>
    isProgramMessage(line) && (command.includes('git') || !/^(?:error|fatal): /.test(line));
  if (!isOwn(first)) return null;
  return sample.filter(isOwn).length * (isFine ? 1 : 2) >= sample.length ? first : null;
}

/** A message of a tool is short; a longer text that begins like one is what the tool read. */
const toolMessageMax = 1_500;

function findToolFailure({ first, sample }: OutputLines, text: string, isFine: boolean): string | null {
  if (text.length > toolMessageMax) return null;
  if (isFine) return sample.length <= 2 && beginsLikeReadFailure(first) ? first : null;
  return beginsLikeFailure(first) ? first : null;
}

function findRunFailure(lines: OutputLines, isFine: boolean, { command }: CallContext): string | null {
  const { first, last, sample } = lines;
  if (!isFine && (beginsLikeFailure(first) || isProgramMessage(first))) return first;
  if (!isFine && (isProgramMessage(last) || isErrorName(last))) return last;
  if (command !== null && sample.length <= shortOutputLines && isProgramMessage(last)) return last;
  return findCertainFailure(lines, isFine);
}

/** An output of so few lines that a message at its end is all that it says. */
const shortOutputLines = 2;

/** Finds a line that certainly says that something failed, or the trace of an error that ended the program. */
function findCertainFailure({ head, tail, last }: OutputLines, isFine: boolean): string | null {
  const hasEndedInTrace = isErrorName(last) || isStackFrame(last);
  for (const part of tail === '' ? [head] : [tail, head]) {
    for (const line of findHintLines(part)) {
      if (isCertainFailure(line)) return line;
      if (isTraceStart(line) && (!isFine || hasEndedInTrace)) return line;
    }
    if ((!isFine || isStackFrame(last)) && hasStackTrace(part)) return last;
  }
  return null;
}

/** Maximum number of suspicious lines that are examined in a part of the output. */
const hintLinesMax = 24;

/** Yields the lines that contain a word for a failure, each once. */
function* findHintLines(part: string): Generator<string> {
  failureHint.lastIndex = 0;
  for (let count = 0; count < hintLinesMax; count += 1) {
    const match = failureHint.exec(part);
    if (match === null) return;
    const start = part.lastIndexOf('\n', match.index) + 1;
    const newline = part.indexOf('\n', match.index);
    const end = newline === -1 ? part.length : newline;
    const after = failureHint.lastIndex;
    yield part.slice(start, Math.min(end, start + lineMax));
    failureHint.lastIndex = Math.max(after, end);
  }
}

/** The lines that are examined: the head and the tail of a long output. */
type OutputLines = {
  readonly head: string;
  /** Empty if the head is the whole output. */
  readonly tail: string;
  /** The first and the last line that are not blank. */
  readonly first: string;
  readonly last: string;
  /** The first lines that are not blank. */
  readonly sample: readonly string[];
};

const headMax = 4_000;
const tailMax = 4_000;
const lineMax = 400;
const sampleMax = 12;

function readLines(text: string): OutputLines {
  const isWhole = text.length <= headMax + tailMax;
  const head = isWhole ? text : text.slice(0, headMax);
  const tail = isWhole ? '' : text.slice(-tailMax);
  const sample: string[] = [];
  for (let from = 0; from < head.length && sample.length < sampleMax;) {
    const newline = head.indexOf('\n', from);
    const end = newline === -1 ? head.length : newline;
    const line = head.slice(from, Math.min(end, from + lineMax)).trim();
    if (line !== '') sample.push(line);
    from = end + 1;
  }
  return { head, tail, first: sample[0] ?? '', last: findLastLine(tail === '' ? head : tail), sample };
}

function findLastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed
    .slice(trimmed.lastIndexOf('\n') + 1)
    .slice(0, lineMax)
    .trim();
}

/** Programs that run others report their exit code in the last line. */
function findTrailingExitCode({ last, first }: OutputLines, { purpose }: CallContext): number | null {
  if (purpose !== 'run' && purpose !== 'other') return null;
  return (
    (last.length <= trailingLineMax ? findExitCode(last) : null) ??
    (first.length <= trailingLineMax ? findExitCode(first) : null)
  );
}

const trailingLineMax = 160;

/** A check that could not do its work fails like any other program. */
function isFinding(
  { isCheck = false }: CallContext,
  { last }: OutputLines,
  exitCode: number | null,
): boolean {
  return isCheck && (exitCode ?? 1) < usageExitCode && !isUsageError(last);
}

const failureCount =
  /\b(\d{1,6}) (?:\w{1,20} ){0,2}(?:failed|failing|failures?|errors?)\b|\b(?:failed|failures|errors): {0,8}(\d{1,6})\b/gi;

/** Returns the last count in the summary, which stands at the end or in the only part. */
function countFailures({ head, tail }: OutputLines): number | null {
  const last = [...(tail === '' ? head : tail).matchAll(failureCount)].at(-1);
  return last === undefined ? null : Number(last[1] ?? last[2]);
}

/** Reports of one check look alike, so findings are an error of their own command. */
function classifyResult(text: string, check: CallContext | null): string {
  return check === null ? classifyFailure(text) : `${check.command} ${classifyFailure(text)}`;
}

/** Exit codes from here on say that the check was called wrongly, was not found or was killed. */
const usageExitCode = 32;

const usageError =
  /^usage:|unrecognized arguments?|unknown option|command not found|No such file or directory|No module named|cannot find module|file or directory not found|no tests ran|not recognized as/i;

function isUsageError(line: string): boolean {
  return usageError.test(line) || isProgramMessage(line);
}

/** Reduces the text of a failed call to its class, without the line numbers that shells count. */
export function classifyFailure(text: string): string {
  return classifyError(removeShellLines(text));
}

const quotedLineMax = 120;

function quoteLine(line: string): string {
  const trimmed = line.trim();
  return trimmed.length <= quotedLineMax ? `“${trimmed}”` : `“${trimmed.slice(0, quotedLineMax)}…”`;
}
