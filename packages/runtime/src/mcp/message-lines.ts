/** A line, or the two ends of one that was too long to keep. */
export type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too-long'; readonly start: string; readonly end: string }
  /** It has become so long that nobody should wait for its end. */
  | { readonly kind: 'endless' };

const newline = 0x0a;
const edgeBytes = 256;
const roomBytes = 64 * 1024;

/** Cuts what comes in pieces into lines, and never holds more than a line may have, however small the pieces are. */
export class MessageLines {
  readonly #bytesMax: number;
  readonly #endlessBytes: number;
  #room: Buffer = Buffer.alloc(roomBytes);
  /** Bytes of the current line, and how many of them are in the room. */
  #length = 0;
  #held = 0;
  /** The last bytes of a line that is too long. */
  #end: Buffer | null = null;

  constructor(bytesMax: number, endlessBytes: number) {
    this.#bytesMax = bytesMax;
    this.#endlessBytes = endlessBytes;
  }

  /** The lines that are complete with this piece. */
  *feed(piece: Buffer): Generator<MessageLine> {
    let from = 0;
    for (let at = piece.indexOf(newline); at !== -1; at = piece.indexOf(newline, from)) {
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
    // Copied: a view would hold on to the whole piece.
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
