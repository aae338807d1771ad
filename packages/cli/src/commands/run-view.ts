import { styleText } from 'node:util';
import {
  pastPhaseLine,
  phaseProgress,
  type Call,
  type Event,
  type Json,
  type Note,
  type Outcome,
  type Phases,
  type Session,
} from '@pawl/core';
import type { AskPermission, AskUser, Seen, Trouble } from '@pawl/runtime';
import type { Io } from '../io.ts';
import type { LiveControls } from '../tui/live-view.ts';
import { visible, visibleLine } from '../visible.ts';
import { counted } from './number-text.ts';

/** Shows a run while it happens. The answer goes to standard output, everything else to standard error. */
export type RunView = {
  /** Who answers the questions that come up. */
  readonly asks: Asks;
  start(begun: { readonly root: string; readonly files: number; readonly session: string }): void;
  warn(line: string): void;
  trouble(trouble: Trouble | null): void;
  see(seen: Seen): void;
  /** Told once, when there is an agent to control. */
  control(session: Session, controls: LiveControls): void;
  /** Asked whenever nothing is left to do. */
  next(session: Session): Promise<Next>;
  end(result: RunResult): void | Promise<void>;
};

/** Null for nobody: then the answer is no. */
export type Asks = { readonly permission: AskPermission; readonly user: AskUser };

const nobody: Asks = { permission: null, user: null };

/** What comes next: the end, something the user says, or another look because something has happened. */
export type Next =
  | { readonly kind: 'end' }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'again' };

/** A view that is only looked at. */
const onlyShown = {
  control: () => undefined,
  next: async (): Promise<Next> => ({ kind: 'end' }),
} as const;

/** What is wrong, and that it is over, as lines. */
function troubleLine(trouble: Trouble | null): string {
  return trouble === null ? 'It goes on.' : `${trouble.message} The work waits, and goes on by itself.`;
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

export function quietView(io: Io, asks: Asks = nobody): RunView {
  const warn = (line: string): void => void io.stderr.write(`pawl: ${visibleLine(line)}\n`);
  return {
    ...onlyShown,
    asks,
    start: () => undefined,
    warn,
    trouble: (trouble) => warn(troubleLine(trouble)),
    see: () => undefined,
    end: ({ answer, reason }) => {
      if (answer !== null) io.stdout.write(`${visible(answer)}\n`);
      if (reason !== null) io.stderr.write(`pawl: ${visibleLine(reason)}\n`);
    },
  };
}

/** One JSON object a line: what happened, and last the result. */
export function jsonView(io: Io, asks: Asks = nobody): RunView {
  const write = (line: Json): void => void io.stdout.write(`${JSON.stringify(line)}\n`);
  return {
    ...onlyShown,
    asks,
    trouble: (trouble) => write({ type: 'warning', message: troubleLine(trouble) }),
    start: ({ root, files, session }) => write({ type: 'start', folder: root, files, session }),
    warn: (message) => write({ type: 'warning', message }),
    see({ event, notes, session }) {
      for (const note of notes) write(isOfPhase(note) ? withProgress(note, session.phases) : { ...note });
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

/** Lines for a person, coloured where the terminal takes it. */
export function lineView(io: Io, asks: Asks = nobody): RunView {
  const err = io.stderr;
  const dim = (text: string): string => styleText('dim', text, { stream: err });
  const say = (text: string): void => void err.write(`${text}\n`);
  const warn = (line: string): void =>
    say(`${styleText('yellow', 'pawl:', { stream: err })} ${visibleLine(line)}`);
  return {
    ...onlyShown,
    asks,
    warn,
    trouble: (trouble) => warn(troubleLine(trouble)),
    start: ({ root, files }) => say(dim(`${counted(files, 'file')} in ${visibleLine(root)}`)),
    see({ event, notes, actions, session }) {
      if (event.type === 'model-replied') for (const line of wordsOf(event, session)) say(visible(line));
      if (event.type === 'tool-finished') say(dim(`    ${outcomeLine(event.outcome)}`));
      for (const note of notes) for (const line of noteLines(note, session.phases)) say(dim(line));
      for (const action of actions) {
        if (action.type === 'run-tools') for (const call of action.calls) say(callLine(call));
        if (action.type === 'show-error') say(styleText('red', visibleLine(action.message), { stream: err }));
      }
    },
    end(result) {
      if (result.answer !== null) io.stdout.write(`\n${visible(result.answer)}\n`);
      if (result.reason !== null)
        say(styleText('red', `pawl: ${visibleLine(result.reason)}`, { stream: err }));
      say(dim(`\n${summary(result)}`));
    },
  };
}

type PhaseNote = Extract<Note, { readonly type: 'phase-started' | 'phase-completed' }>;

function isOfPhase(note: Note): note is PhaseNote {
  return note.type === 'phase-started' || note.type === 'phase-completed';
}

/** A change of phase with how far the task is then, for programs that would rather not keep count. */
function withProgress(note: PhaseNote, phases: Phases): Json {
  const { done, failed, total, percent } = phaseProgress(phases, note.at);
  return { ...note, progress: { done, failed, total, percent } };
}

/** What the model says for itself. A reply that is all protocol says it in its logs. */
function wordsOf(
  { text, logs, problem }: Extract<Event, { readonly type: 'model-replied' }>,
  { settings: { chart } }: Session,
): readonly string[] {
  if (problem !== undefined) return [problem];
  const said = chart?.hops.by === 'reply' ? [logs?.think ?? '', logs?.evaluation ?? ''] : [text];
  return said.filter((line) => line !== '');
}

function noteLines(note: Note, phases: Phases): readonly string[] {
  switch (note.type) {
    case 'transition':
      return [`  ${note.from} → ${note.to}  (${note.cause}, ${note.durationMs} ms)`];
    case 'mode':
      return [`  ${visibleLine(note.from)} → ${visibleLine(note.to)}  (${visibleLine(note.cause)})`];
    case 'paged':
      return [`  ${note.moved.length} entries moved to storage, ${note.freedTokens} tokens freed`];
    case 'verdict':
      return [`  ${note.verdict.level}: ${visibleLine(note.verdict.reason)}`];
    case 'phase-started':
      return [`  ${startLine(note, phases)}`];
    case 'phase-completed':
      return [`  ${endLine(note, phases)}`];
    case 'refused':
      return [];
    default:
      return note satisfies never;
  }
}

function startLine(
  { number, description }: Extract<Note, { readonly type: 'phase-started' }>,
  { total }: Phases,
): string {
  const which = total === null ? `phase ${number}` : `phase ${number} of ${total}`;
  return `${which}: ${visibleLine(description)}`;
}

function endLine(
  { number, success }: Extract<Note, { readonly type: 'phase-completed' }>,
  { completed }: Phases,
): string {
  const past = completed.find((phase) => phase.number === number);
  return past === undefined
    ? `phase ${number} ${success ? 'done' : 'failed'}`
    : visibleLine(pastPhaseLine(past));
}

function callLine({ tool, args }: Call): string {
  const shown = visibleLine(typeof args === 'string' ? args : JSON.stringify(args));
  return `  ▸ ${visibleLine(tool)} ${shown.length > 100 ? `${shown.slice(0, 99)}…` : shown}`;
}

function outcomeLine(outcome: Outcome): string {
  if (!outcome.ok) return `${outcome.error.kind}: ${visibleLine(outcome.error.message)}`.slice(0, 200);
  const size = JSON.stringify(outcome.output).length;
  return `ok, ${counted(size, 'character')}`;
}

function summary({ modelCalls, toolCalls, durationMs, status }: RunResult): string {
  const seconds = (durationMs / 1_000).toFixed(1);
  return `${status} after ${counted(modelCalls, 'model call')} and ${counted(toolCalls, 'tool call')} in ${seconds} s`;
}
