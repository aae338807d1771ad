/** A line, or the beginning and end of an oversized line. */
export type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too-long'; readonly start: string; readonly end: string }
  /** The line exceeds the size at which waiting for its end stops. */
  | { readonly kind: 'endless' };

const newlineByte = 0x0a;
const edgeBytes = 256;
const bufferBytes = 64 * 1024;

/** Splits a stream into lines and buffers at most one line of the maximum size. */
export class MessageLines {
  readonly #bytesMax: number;
  readonly #endlessBytes: number;
  #buffer: Buffer = Buffer.alloc(bufferBytes);
  /** Bytes of the current line, and how many of them are buffered. */
  #lineBytes = 0;
  #bufferedBytes = 0;
  /** The last bytes of an oversized line. */
  #tail: Buffer | null = null;

  constructor(bytesMax: number, endlessBytes: number) {
    this.#bytesMax = bytesMax;
    this.#endlessBytes = endlessBytes;
  }

  /** Yields the lines completed by this chunk. */
  *addChunk(chunk: Buffer): Generator<MessageLine> {
    let from = 0;
    for (let at = chunk.indexOf(newlineByte); at !== -1; at = chunk.indexOf(newlineByte, from)) {
      this.#add(chunk.subarray(from, at));
      from = at + 1;
      yield this.#finishLine();
    }
    this.#add(chunk.subarray(from));
    if (this.#lineBytes > this.#endlessBytes) yield { kind: 'endless' };
  }

  #add(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes <= this.#bytesMax) return this.#appendToBuffer(part);
    const before =
      this.#tail ?? this.#buffer.subarray(Math.max(0, this.#bufferedBytes - edgeBytes), this.#bufferedBytes);
    // Copy, because a view would retain the whole chunk.
    this.#tail = Buffer.from(Buffer.concat([before, part]).subarray(-edgeBytes));
  }

  #appendToBuffer(part: Buffer): void {
    const needed = this.#bufferedBytes + part.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#bufferedBytes);
      this.#buffer = larger;
    }
    part.copy(this.#buffer, this.#bufferedBytes);
    this.#bufferedBytes = needed;
  }

  #finishLine(): MessageLine {
    const line: MessageLine =
      this.#tail === null
        ? { kind: 'line', text: this.#buffer.toString('utf8', 0, this.#bufferedBytes) }
        : {
            kind: 'too-long',
            start: this.#buffer.toString('latin1', 0, Math.min(this.#bufferedBytes, edgeBytes)),
            end: this.#tail.toString('latin1'),
          };
    if (this.#buffer.length > bufferBytes) this.#buffer = Buffer.alloc(bufferBytes);
    this.#lineBytes = 0;
    this.#bufferedBytes = 0;
    this.#tail = null;
    return line;
  }
}
