import type { Readable } from 'node:stream';

/** The longest line that is read; what goes beyond it is passed over and never held in memory. */
export const lineBytesMax = 16 * 1024 * 1024;

/** A line of the input, counted from 1; or what kept it from being text. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly error: string };

/**
 * The lines of the input that are not blank, each as soon as it is complete; the last one needs no line break.
 * An input that is closed before its end just ends.
 */
export async function* readLines(input: Readable, bytesMax: number = lineBytesMax): AsyncGenerator<Line> {
  const line = new LineBuffer(bytesMax);
  try {
    for await (const chunk of input as AsyncIterable<Buffer | string>) {
      yield* linesIn(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, line);
    }
  } catch (error) {
    if (wasClosed(error)) return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The input cannot be read: ${reason}`, { cause: error });
  }
  yield* unlessBlank(line.take());
}

/** The lines that end in this chunk; what is left of it begins the next one. */
function* linesIn(chunk: Buffer, line: LineBuffer): Generator<Line> {
  let start = 0;
  for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
    line.add(chunk.subarray(start, end));
    start = end + 1;
    yield* unlessBlank(line.take());
  }
  line.add(chunk.subarray(start));
}

const newline = 0x0a;

function unlessBlank(line: Line): readonly Line[] {
  return 'text' in line && /^[\t\r ]*$/.test(line.text) ? [] : [line];
}

function wasClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Collects one line from however many pieces it comes in. */
class LineBuffer {
  readonly #bytesMax: number;
  /** Takes a byte order mark off by itself, and knows what is not UTF-8. */
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

  /** The line so far, and a fresh start. */
  take(): Line {
    const length = this.#length;
    this.#length = 0;
    this.#number += 1;
    const number = this.#number;
    if (length > this.#bytesMax) {
      return { number, error: `too long: ${length} bytes, where a line may have ${this.#bytesMax}` };
    }
    try {
      return { number, text: this.#decoder.decode(this.#bytes.subarray(0, length)) };
    } catch {
      return { number, error: 'not UTF-8' };
    }
  }

  /** To twice the size where the limit allows it, so that a line in many small pieces is not copied once for each of them. */
  #grow(needed: number): void {
    const larger = Buffer.alloc(Math.min(Math.max(needed, this.#bytes.length * 2), this.#bytesMax));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
