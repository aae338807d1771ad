import type { Readable } from 'node:stream';

/** Maximum line length; the rest of a longer line is skipped without buffering. */
export const maxLineBytes = 16 * 1024 * 1024;

/** An input line, counted from 1, or the reason why it could not be decoded. */
export type InputLine =
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
