import {
  getConversation,
  type Event,
  type ToolCall,
  type ToolErrorKind,
  type Json,
  type Note,
  type Session,
} from '@pawl/core';
import { listSpokenLines } from '@pawl/core/modes';
import { formatPastPhaseLine, computePhaseProgress, type PhaseState } from '@pawl/core/phases';
import { findTurnAnswer, type QuestionHandlers, type StepResult, type StoreOutage } from '@pawl/runtime';
import type { RuleSeverity, Verdict } from '@pawl/governor';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import type { CommandIo } from '../output/command-io.ts';
import { formatCount, shortenId } from '../output/format-number.ts';
import { sanitizeText, sanitizeOneLine } from '../output/sanitize-text.ts';
import { describeToolCall } from '../output/tool-phrases.ts';
import type { LiveControls } from '../tui/live-view.ts';

/** Shows a run live. The answer goes to standard output, everything else to standard error. */
export type RunView = {
  /** Whether a person can resume a paused session here; otherwise the run ends when the session is paused. */
  readonly canResume: boolean;
  /** Handlers for permission questions and for questions of the model. */
  readonly asks: QuestionHandlers;
  start(details: {
    readonly root: string;
    readonly paths: readonly string[];
    readonly session: string;
  }): void;
  warn(line: string): void;
  setStoreOutage(outage: StoreOutage | null): void;
  observe(seen: StepResult): void;
  /** Called once, when there is an agent to control. */
  control(session: Session, controls: LiveControls, options: { readonly isStored: boolean }): void;
  /** Called whenever nothing is left to do. */
  next(session: Session): Promise<NextInput>;
  end(result: RunResult): void | Promise<void>;
};

const noQuestionHandlers: QuestionHandlers = { permission: null, user: null };

/** The next input: the end, a user message, or another check because something happened. */
export type NextInput =
  | { readonly kind: 'end' }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'again' };

/** Defaults for views that only print. */
const passiveViewMethods = {
  canResume: false,
  control: () => undefined,
  next: async (): Promise<NextInput> => ({ kind: 'end' }),
} as const;

/** Formats a store outage, or its end, as a line. */
function formatStoreOutage(outage: StoreOutage | null): string {
  return outage === null
    ? 'The session store is available again.'
    : `${outage.message} The run waits and continues automatically.`;
}

export type RunResult = {
  readonly status: 'answered' | 'stuck' | 'budget' | 'denied' | 'failed' | 'interrupted';
  readonly answer: string | null;
  readonly reason: string | null;
  readonly session: string;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly durationMs: number;
};

export function createQuietRunView(io: CommandIo, asks: QuestionHandlers = noQuestionHandlers): RunView {
  const warn = (line: string): void => void io.stderr.write(`pawl: ${sanitizeOneLine(line)}\n`);
  return {
    ...passiveViewMethods,
    asks,
    start: () => undefined,
    warn,
    setStoreOutage: (outage) => warn(formatStoreOutage(outage)),
    observe: () => undefined,
    end: ({ answer, reason }) => {
      if (answer !== null) io.stdout.write(`${sanitizeText(answer)}\n`);
      if (reason !== null) io.stderr.write(`pawl: ${sanitizeOneLine(reason)}\n`);
    },
  };
}

/** Writes one JSON object per line: the events, then the result. */
export function createJsonRunView(io: CommandIo, asks: QuestionHandlers = noQuestionHandlers): RunView {
  const write = (line: Json): void => void io.stdout.write(`${JSON.stringify(line)}\n`);
  return {
    ...passiveViewMethods,
    asks,
    setStoreOutage: (outage) => write({ type: 'warning', message: formatStoreOutage(outage) }),
    start: ({ root, paths, session }) => write({ type: 'start', folder: root, files: paths.length, session }),
    warn: (message) => write({ type: 'warning', message }),
    observe({ event, notes, session }) {
      for (const note of notes)
        write(isPhaseNote(note) ? addPhaseProgress(note, session.phases) : { ...note });
      if (event.type === 'model-replied') write({ ...event, type: 'reply' });
      if (event.type === 'tool-finished') {
        const { at, callId, outcome } = event;
        write({ type: 'tool-result', at, callId, outcome });
      }
      if (event.type === 'model-failed') write({ ...event, type: 'failure' });
    },
    end: (result) => write({ type: 'result', ...result }),
  };
}

export type LineRunViewOptions = {
  readonly asks?: QuestionHandlers;
  /** Print the transitions of the state machine too. */
  readonly verbose?: boolean | undefined;
  /** Print answers when they arrive, for a view that is not given the result. */
  readonly showsAnswers?: boolean;
};

/** Prints what a run does in words, for people, in color if the terminal supports it. */
export function createLineRunView(
  io: CommandIo,
  { asks = noQuestionHandlers, verbose = false, showsAnswers = false }: LineRunViewOptions = {},
): RunView {
  const err = io.stderr;
  const calls = new Map<string, ToolCall>();
  const dim = (text: string): string => styleText('dim', text, { stream: err });
  const writeLine = (text: string): void => void err.write(`${text}\n`);
  const warn = (line: string): void =>
    writeLine(`${styleText('yellow', 'pawl:', { stream: err })} ${sanitizeOneLine(line)}`);
  return {
    ...passiveViewMethods,
    asks,
    warn,
    setStoreOutage: (outage) => warn(formatStoreOutage(outage)),
    start: ({ root, paths }) =>
      writeLine(dim(`${formatCount(paths.length, 'file')} in ${sanitizeOneLine(root)}`)),
    observe({ event, notes, actions, session }) {
      if (event.type === 'model-replied') calls.clear();
      for (const line of formatRunEvent(event, { session, calls, showsAnswers })) writeLine(line);
      for (const note of notes)
        for (const line of formatRunNote(note, session.phases, verbose)) writeLine(dim(line));
      for (const action of actions) {
        if (action.type === 'run-tools' || action.type === 'ask-permission')
          for (const call of action.calls) calls.set(call.id, call);
        if (action.type === 'show-error')
          writeLine(styleText('red', sanitizeOneLine(action.message), { stream: err }));
      }
    },
    end(result) {
      if (result.answer !== null) io.stdout.write(`\n${sanitizeText(result.answer)}\n`);
      if (result.reason !== null)
        writeLine(styleText('red', `pawl: ${sanitizeOneLine(result.reason)}`, { stream: err }));
      writeLine(dim(`\n${formatRunResult(result)}`));
      if (result.status === 'stuck' || result.status === 'budget')
        writeLine(dim(`To continue: pawl resume ${shortenId(result.session)} "next message"`));
    },
  };
}

type PhaseNote = Extract<Note, { readonly type: 'phase-started' | 'phase-completed' }>;

function isPhaseNote(note: Note): note is PhaseNote {
  return note.type === 'phase-started' || note.type === 'phase-completed';
}

/** Adds the overall progress to a phase note, so that consumers need not track it. */
function addPhaseProgress(note: PhaseNote, phases: PhaseState): Json {
  const { completed, failed, total, percent } = computePhaseProgress(phases, note.at);
  return { ...note, progress: { done: completed, failed, total, percent } };
}

type RunEventContext = {
  readonly session: Session;
  /** The calls of the current reply, by id. */
  readonly calls: ReadonlyMap<string, ToolCall>;
  readonly showsAnswers: boolean;
};

/** Formats what an event means to a person; a call is one line when it ends. */
function formatRunEvent(event: Event, { session, calls, showsAnswers }: RunEventContext): readonly string[] {
  switch (event.type) {
    case 'model-replied':
      return formatReply(event, session, showsAnswers);
    case 'model-failed':
      return session.turn.status === 'errorRecovery'
        ? [`  The model failed and is asked again: ${sanitizeOneLine(event.error.message)}`]
        : [];
    case 'permission-decided':
    case 'tool-finished':
      return formatCallEvent(event, calls.get(event.callId));
    case 'pause-requested':
      return session.turn.status === 'paused' ? [`  Paused: ${sanitizeOneLine(event.reason)}`] : [];
    case 'resume-requested':
      return session.turn.status === 'paused' ? [] : ['  Resumed'];
    default:
      return [];
  }
}

function formatCallEvent(
  event: Extract<Event, { readonly type: 'permission-decided' | 'tool-finished' }>,
  call: ToolCall | undefined,
): readonly string[] {
  if (call === undefined) return [];
  if (event.type === 'tool-finished') return formatEndedCall(call, event);
  return event.decision === 'deny' ? [formatUnrunCall(call, 'was denied', event.reason)] : [];
}

function formatReply(
  event: Extract<Event, { readonly type: 'model-replied' }>,
  session: Session,
  showsAnswers: boolean,
): readonly string[] {
  const { kind = event.calls.length > 0 ? 'action' : 'answer' } = event;
  // The answer of a run follows as its result.
  const spoken = kind === 'answer' && !showsAnswers ? [] : listSpokenLines(event, session);
  const denied = event.calls.filter(({ permission }) => permission === 'deny');
  return [
    ...[event.problem ?? [], spoken].flat().map(sanitizeText),
    ...denied.map((call) => formatUnrunCall(call, 'was denied', call.denialReason)),
  ];
}

function formatUnrunCall(
  call: Pick<ToolCall, 'tool' | 'args'>,
  ending: string,
  reason: string | undefined,
): string {
  const phrase = truncateLine(describeToolCall(call).doing);
  return `  ${phrase} ${ending}${reason === undefined ? '' : `: ${sanitizeOneLine(reason)}`}`;
}

/** Maximum number of output lines that are shown of a failed call. */
const failureLinesMax = 5;

/** Formats a call that has ended, with the last lines of a failure. */
export function formatEndedCall(
  call: Pick<ToolCall, 'tool' | 'args'>,
  { outcome, tests }: Pick<Extract<Event, { readonly type: 'tool-finished' }>, 'outcome' | 'tests'>,
): readonly string[] {
  const phrase = describeToolCall(call);
  if (outcome.ok) {
    const failure = findFailedOutput(outcome.output);
    const counts = tests === undefined ? '' : `: ${tests.passed} passed, ${tests.failed} failed`;
    const code = failure === null || tests !== undefined ? '' : `: exit code ${failure.exitCode}`;
    return [`  ${truncateLine(phrase.done)}${counts}${code}`, ...listLastLines(failure?.output ?? '')];
  }
  const { kind, message } = outcome.error;
  const ending = toolFailureEndings[kind];
  if (kind !== 'failed' && kind !== 'timeout') return [formatUnrunCall(call, ending, message)];
  return [`  ${truncateLine(phrase.doing)} ${ending}:`, ...listLastLines(message)];
}

const toolFailureEndings: Readonly<Record<ToolErrorKind, string>> = {
  failed: 'failed',
  invalid: 'was not possible',
  denied: 'was denied',
  timeout: 'timed out',
  interrupted: 'was interrupted',
  cancelled: 'was cancelled',
  skipped: 'was skipped',
};

/** Finds the exit code and the output of a command that ended, but not with 0, such as tests that fail. */
function findFailedOutput(output: Json): { readonly exitCode: number; readonly output: string } | null {
  if (typeof output !== 'object' || output === null || !('exitCode' in output)) return null;
  const { exitCode } = output;
  if (typeof exitCode !== 'number' || exitCode === 0) return null;
  return {
    exitCode,
    output: 'output' in output && typeof output['output'] === 'string' ? output['output'] : '',
  };
}

function listLastLines(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-failureLinesMax)
    .map((line) => `    ${truncateLine(line)}`);
}

/** Formats a text on one line of a length that most terminals show. */
function truncateLine(text: string): string {
  const line = sanitizeOneLine(text);
  return line.length > lineCharsMax ? `${line.slice(0, lineCharsMax - 1)}…` : line;
}

const lineCharsMax = 110;

const verdictPhrases: Readonly<Record<RuleSeverity, string>> = {
  advise: 'advises the agent',
  block: 'blocks the call',
  ask: 'asks for a decision',
  stop: 'ends the work',
};

/** Formats a note for a person; state names are shown only if `verbose` is set. */
function formatRunNote(note: Note, phases: PhaseState, verbose: boolean): readonly string[] {
  switch (note.type) {
    case 'transition':
      if (!verbose) return [];
      return [`  ${note.from} → ${note.to}  (${note.cause}, ${note.durationMs} ms)`];
    case 'mode':
      if (!verbose) return [];
      return [
        `  ${sanitizeOneLine(note.from)} → ${sanitizeOneLine(note.to)}  (${sanitizeOneLine(note.cause)})`,
      ];
    case 'paged':
      return [`  ${note.moved.length} entries moved to storage, ${note.freedTokens} tokens freed`];
    case 'verdict':
      return [formatVerdict(note.verdict)];
    case 'phase-started':
      return [`  ${formatPhaseStart(note, phases)}`];
    case 'phase-completed':
      return [`  ${formatPhaseEnd(note, phases)}`];
    case 'refused':
      return [];
    default:
      return note satisfies never;
  }
}

function formatPhaseStart(
  { number, description }: Extract<Note, { readonly type: 'phase-started' }>,
  { total }: PhaseState,
): string {
  const which = total === null ? `phase ${number}` : `phase ${number} of ${total}`;
  return `${which}: ${sanitizeOneLine(description)}`;
}

function formatPhaseEnd(
  { number, success }: Extract<Note, { readonly type: 'phase-completed' }>,
  { completed }: PhaseState,
): string {
  const past = completed.find((phase) => phase.number === number);
  return past === undefined
    ? `phase ${number} ${success ? 'done' : 'failed'}`
    : sanitizeOneLine(formatPastPhaseLine(past));
}

function formatVerdict({ severity, rule, reason }: Verdict): string {
  return `  Governor ${verdictPhrases[severity]} (${sanitizeOneLine(rule)}): ${sanitizeOneLine(reason)}`;
}

function formatRunResult({ modelCalls, toolCalls, durationMs, status }: RunResult): string {
  const seconds = (durationMs / 1_000).toFixed(1);
  return `${status} after ${formatCount(modelCalls, 'model call')} and ${formatCount(toolCalls, 'tool call')} in ${seconds} s`;
}

/**
 * Line-based chat: each input line is a user message, each answer goes to the output. Answers to messages sent by other
 * processes go there as well.
 */
export function createLineChatView(io: CommandIo, view: RunView, json: boolean): RunView {
  const lines = createInterface({ input: io.stdin })[Symbol.asyncIterator]();
  let line: ReturnType<typeof lines.next> | null = null;
  let wake = doNothing;
  let shownConversation: unknown = null;
  return {
    ...view,
    observe(seen) {
      view.observe(seen);
      if (seen.session.turn.status !== 'waitingForUser') wake();
    },
    async next(session): Promise<NextInput> {
      // Nobody is there to decide that an exhausted budget is granted again.
      const { turn } = session;
      if (turn.status === 'halted' && turn.haltReason.kind === 'budget') return { kind: 'end' };
      const conversation = getConversation(session);
      const answer = shownConversation === conversation ? null : findTurnAnswer(conversation);
      shownConversation = conversation;
      if (answer !== null && !json) io.stdout.write(`${sanitizeText(answer)}\n`);
      const activity = new Promise<null>((resolve) => (wake = () => resolve(null)));
      for (;;) {
        line ??= lines.next();
        const input = await Promise.race([line, activity]);
        if (input === null) return { kind: 'again' };
        line = null;
        if (input.done === true) return { kind: 'end' };
        if (input.value.trim() !== '') return { kind: 'say', text: input.value };
      }
    },
    end: (result) => view.end(json ? result : { ...result, answer: null }),
  };
}

export const doNothing = (): void => undefined;
