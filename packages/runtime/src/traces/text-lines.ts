/** A line of a text, counted from 1; or what kept it from being one. */
export type TextLine =
  | { readonly number: number; readonly text: string; readonly bytes: number }
  | { readonly number: number; readonly error: string };

/** The lines that are not blank, each as soon as it is complete. What is longer than the limit is never held. */
export async function* textLines(source: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<TextLine> {
  const line = new PendingLine(bytesMax);
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      line.add(chunk.subarray(start, end));
      start = end + 1;
      const taken = line.take();
      if (!isBlank(taken)) yield taken;
    }
    line.add(chunk.subarray(start));
  }
  const last = line.take();
  if (!isBlank(last)) yield last;
}

/** What is said of a line that is not text. */
export const notText = 'not UTF-8';

const newline = 0x0a;

function isBlank(line: TextLine): boolean {
  return 'text' in line && line.text.trim() === '';
}

/** Collects one line from however many pieces it comes in. */
class PendingLine {
  readonly #bytesMax: number;
  /** Takes a byte order mark off by itself, and knows what is not UTF-8. */
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #pieces: Buffer[] = [];
  #length = 0;
  #number = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.#bytesMax) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  take(): TextLine {
    const [pieces, bytes] = [this.#pieces, this.#length];
    this.#pieces = [];
    this.#length = 0;
    this.#number += 1;
    const number = this.#number;
    if (bytes > this.#bytesMax)
      return {
        number,
        error: `too long: ${megabytes(bytes)}, where ${megabytes(this.#bytesMax)} can be held`,
      };
    try {
      const [first = Buffer.alloc(0)] = pieces;
      return { number, text: this.#decoder.decode(pieces.length > 1 ? Buffer.concat(pieces) : first), bytes };
    } catch {
      return { number, error: notText };
    }
  }
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024).toLocaleString('en')} MB`;
}
