import {
  getConversation,
  type ToolCall,
  type Json,
  type Note,
  type ToolOutcome,
  type Session,
} from '@pawl/core';
import { listSpokenLines } from '@pawl/core/modes';
import { formatPastPhaseLine, computePhaseProgress, type PhaseState } from '@pawl/core/phases';
import { findTurnAnswer, type QuestionHandlers, type StepResult, type StoreOutage } from '@pawl/runtime';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import type { CommandIo } from '../output/command-io.ts';
import { formatCount, shortenId } from '../output/format-number.ts';
import { sanitizeText, sanitizeOneLine } from '../output/sanitize-text.ts';
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
  control(session: Session, controls: LiveControls): void;
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

/** Prints lines for people, in color if the terminal supports it. */
export function createLineRunView(io: CommandIo, asks: QuestionHandlers = noQuestionHandlers): RunView {
  const err = io.stderr;
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
      if (event.type === 'model-replied')
        for (const line of [event.problem ?? [], listSpokenLines(event, session)].flat())
          writeLine(sanitizeText(line));
      if (event.type === 'tool-finished') writeLine(dim(`    ${formatToolResult(event.outcome)}`));
      for (const note of notes) for (const line of formatRunNote(note, session.phases)) writeLine(dim(line));
      for (const action of actions) {
        if (action.type === 'run-tools') for (const call of action.calls) writeLine(formatToolCall(call));
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

function formatRunNote(note: Note, phases: PhaseState): readonly string[] {
  switch (note.type) {
    case 'transition':
      return [`  ${note.from} → ${note.to}  (${note.cause}, ${note.durationMs} ms)`];
    case 'mode':
      return [
        `  ${sanitizeOneLine(note.from)} → ${sanitizeOneLine(note.to)}  (${sanitizeOneLine(note.cause)})`,
      ];
    case 'paged':
      return [`  ${note.moved.length} entries moved to storage, ${note.freedTokens} tokens freed`];
    case 'verdict':
      return [`  ${note.verdict.severity}: ${sanitizeOneLine(note.verdict.reason)}`];
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

function formatToolCall({ tool, args }: ToolCall): string {
  const shown = sanitizeOneLine(typeof args === 'string' ? args : JSON.stringify(args));
  return `  ▸ ${sanitizeOneLine(tool)} ${shown.length > 100 ? `${shown.slice(0, 99)}…` : shown}`;
}

function formatToolResult(outcome: ToolOutcome): string {
  if (!outcome.ok) return `${outcome.error.kind}: ${sanitizeOneLine(outcome.error.message)}`.slice(0, 200);
  const size = JSON.stringify(outcome.output).length;
  return `ok, ${formatCount(size, 'character')}`;
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
