/** A line, or the beginning and end of an oversized line. */
export type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too-long'; readonly start: string; readonly end: string }
  /** The line exceeds the size at which waiting for its end stops. */
  | { readonly kind: 'endless' };

const newlineByte = 0x0a;
const edgeBytes = 256;
const roomBytes = 64 * 1024;

/** Splits a stream into lines and buffers at most one line of the maximum size. */
export class MessageLines {
  readonly #bytesMax: number;
  readonly #endlessBytes: number;
  #room: Buffer = Buffer.alloc(roomBytes);
  /** Bytes of the current line, and how many of them are buffered. */
  #length = 0;
  #held = 0;
  /** The last bytes of an oversized line. */
  #end: Buffer | null = null;

  constructor(bytesMax: number, endlessBytes: number) {
    this.#bytesMax = bytesMax;
    this.#endlessBytes = endlessBytes;
  }

  /** Yields the lines completed by this chunk. */
  *feed(piece: Buffer): Generator<MessageLine> {
    let from = 0;
    for (let at = piece.indexOf(newlineByte); at !== -1; at = piece.indexOf(newlineByte, from)) {
      this.#add(piece.subarray(from, at));
      from = at + 1;
      yield this.#take();
    }
    this.#add(piece.subarray(from));
    if (this.#length > this.#endlessBytes) yield { kind: 'endless' };
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#bytesMax) return this.#hold(part);
    const before = this.#end ?? this.#room.subarray(Math.max(0, this.#held - edgeBytes), this.#held);
    // Copy, because a view would retain the whole chunk.
    this.#end = Buffer.from(Buffer.concat([before, part]).subarray(-edgeBytes));
  }

  #hold(part: Buffer): void {
    const needed = this.#held + part.length;
    if (needed > this.#room.length) {
      const larger = Buffer.alloc(Math.max(needed, this.#room.length * 2));
      this.#room.copy(larger, 0, 0, this.#held);
      this.#room = larger;
    }
    part.copy(this.#room, this.#held);
    this.#held = needed;
  }

  #take(): MessageLine {
    const line: MessageLine =
      this.#end === null
        ? { kind: 'line', text: this.#room.toString('utf8', 0, this.#held) }
        : {
            kind: 'too-long',
            start: this.#room.toString('latin1', 0, Math.min(this.#held, edgeBytes)),
            end: this.#end.toString('latin1'),
          };
    if (this.#room.length > roomBytes) this.#room = Buffer.alloc(roomBytes);
    this.#length = 0;
    this.#held = 0;
    this.#end = null;
    return line;
  }
}
