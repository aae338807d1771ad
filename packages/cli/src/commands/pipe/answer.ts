import type { Profile } from '@pawl/core/profiles';
import {
  createSession,
  getStepOutcome,
  step,
  type Note,
  type Session,
  type TurnStatus,
  type SessionStep,
} from '@pawl/core';
import {
  parseEvent,
  printAction,
  printState,
  type PrintedAction,
  type PrintedState,
} from '@pawl/runtime/schema';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import type { Readable } from 'node:stream';

export const stateFormats = ['compact', 'full', 'status'] as const;
export type StateFormat = (typeof stateFormats)[number];

export type PipeAnswer =
  | {
      readonly ok: true;
      readonly seq: number;
      /** Why the event was refused; absent if it was accepted. */
      readonly refused?: string;
      readonly state: PrintedState | Session | TurnStatus;
      readonly actions: readonly PrintedAction[];
      readonly notes: readonly Note[];
    }
  | { readonly ok: false; readonly line: number; readonly error: string };

export type PipeMachine = { readonly id: string; readonly profile: Profile; readonly format: StateFormat };

/**
 * Answers one line and returns the next session. The session is created at the time of the first event, so input with
 * timestamps always gets the same answers.
 */
export function answerLine(
  machine: PipeMachine,
  session: Session | null,
  line: InputLine,
  now: () => number,
): { readonly session: Session | null; readonly answer: PipeAnswer } {
  const reject = (error: string) => ({ session, answer: { ok: false, line: line.number, error } as const });
  if ('error' in line) return reject(line.error);
  const json = parseLineJson(line.text);
  if ('error' in json) return reject(json.error);
  const parsed = parseEvent(addEventTime(json.value, now));
  if (!parsed.ok) return reject(parsed.error);
  const after = step(session ?? createPipeSession(machine, parsed.event.at), parsed.event);
  return { session: after.session, answer: toPipeAnswer(after, machine.format, parsed.event.at) };
}

function parseLineJson(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // The parser's line number is always 1; the actual line number is reported beside the error.
    return { error: `not JSON: ${sanitizeOneLine(reason.replace(/ \(line 1 column \d+\)$/, ''))}` };
  }
}

/** An event without a timestamp gets its arrival time. */
function addEventTime(value: unknown, now: () => number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.hasOwn(value, 'at') ? value : { ...value, at: now() };
}

function createPipeSession({ id, profile }: PipeMachine, at: number): Session {
  return createSession({ id, at, profile: profile.name, settings: profile.settings });
}

function toPipeAnswer(after: SessionStep, format: StateFormat, at: number): PipeAnswer {
  const { session, actions, notes } = after;
  const outcome = getStepOutcome(after);
  return {
    ok: true,
    seq: session.seq,
    ...(outcome.ok ? {} : { refused: outcome.error }),
    state: formatState(format, session),
    actions: actions.map((action) => printAction(action, session, at)),
    notes,
  };
}

function formatState(format: StateFormat, session: Session): PrintedState | Session | TurnStatus {
  switch (format) {
    case 'compact':
      return printState(session);
    case 'full':
      return session;
    case 'status':
      return session.turn.status;
    default:
      return format satisfies never;
  }
}

/** Maximum line length; the rest of a longer line is skipped without buffering. */
export const maxLineBytes = 16 * 1024 * 1024;

/** An input line, counted from 1, or the reason why it could not be decoded. */
type InputLine =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly error: string };

/**
 * Yields the non-blank lines of the input as soon as each is complete; the last one needs no line break. An input that
 * closes early simply ends.
 */
export async function* readInputLines(
  input: Readable,
  bytesMax: number = maxLineBytes,
): AsyncGenerator<InputLine> {
  const line = new LineBuffer(bytesMax);
  try {
    for await (const chunk of input as AsyncIterable<Buffer | string>) {
      yield* splitChunk(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, line);
    }
  } catch (error) {
    if (isPrematureClose(error)) return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot read the input: ${reason}`, { cause: error });
  }
  yield* skipBlankLine(line.take());
}

/** Yields the lines that end in this chunk; the remainder starts the next line. */
function* splitChunk(chunk: Buffer, line: LineBuffer): Generator<InputLine> {
  let start = 0;
  for (let end = chunk.indexOf(newlineByte); end !== -1; end = chunk.indexOf(newlineByte, start)) {
    line.add(chunk.subarray(start, end));
    start = end + 1;
    yield* skipBlankLine(line.take());
  }
  line.add(chunk.subarray(start));
}

const newlineByte = 0x0a;

function skipBlankLine(line: InputLine): readonly InputLine[] {
  return 'text' in line && /^[\t\r ]*$/.test(line.text) ? [] : [line];
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Collects one line from any number of chunks. */
class LineBuffer {
  readonly #bytesMax: number;
  /** Strips a byte order mark, and rejects invalid UTF-8. */
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #bytes = Buffer.alloc(64 * 1024);
  #length = 0;
  #number = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(piece: Buffer): void {
    const end = this.#length + piece.length;
    if (end <= this.#bytesMax) {
      if (end > this.#bytes.length) this.#grow(end);
      piece.copy(this.#bytes, this.#length);
    }
    this.#length = end;
  }

  /** Returns the current line and resets the buffer. */
  take(): InputLine {
    const length = this.#length;
    this.#length = 0;
    this.#number += 1;
    const number = this.#number;
    if (length > this.#bytesMax) {
      return { number, error: `too long: ${length} bytes; the maximum is ${this.#bytesMax}` };
    }
    try {
      return { number, text: this.#decoder.decode(this.#bytes.subarray(0, length)) };
    } catch {
      return { number, error: 'not UTF-8' };
    }
  }

  /** Doubles the buffer up to the limit, so that a line in many small chunks is not copied for each of them. */
  #grow(needed: number): void {
    const larger = Buffer.alloc(Math.min(Math.max(needed, this.#bytes.length * 2), this.#bytesMax));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
