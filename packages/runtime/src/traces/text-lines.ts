/** A line of text with its 1-based number, or the reason why it could not be read. */
export type TextLine =
  | { readonly number: number; readonly text: string; readonly bytes: number }
  | { readonly number: number; readonly error: string };

/** Yields the non-blank lines as soon as each is complete. Lines longer than the limit are not buffered. */
export async function* splitTextLines(
  source: AsyncIterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<TextLine> {
  const line = new PendingLine(bytesMax);
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(newlineByte); end !== -1; end = chunk.indexOf(newlineByte, start)) {
      line.add(chunk.subarray(start, end));
      start = end + 1;
      const completed = line.finish();
      if (!isBlankTextLine(completed)) yield completed;
    }
    line.add(chunk.subarray(start));
  }
  const last = line.finish();
  if (!isBlankTextLine(last)) yield last;
}

/** The error for a line that is not valid text. */
export const notUtf8Text = 'not UTF-8';

const newlineByte = 0x0a;

function isBlankTextLine(line: TextLine): boolean {
  return 'text' in line && line.text.trim() === '';
}

/** Assembles one line from any number of chunks. */
class PendingLine {
  readonly #bytesMax: number;
  /** Strips a byte order mark and rejects invalid UTF-8. */
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #pieces: Buffer[] = [];
  #length = 0;
  #number = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#length += chunk.length;
    if (this.#length > this.#bytesMax) this.#pieces = [];
    else this.#pieces.push(chunk);
  }

  finish(): TextLine {
    const [pieces, bytes] = [this.#pieces, this.#length];
    this.#pieces = [];
    this.#length = 0;
    this.#number += 1;
    const number = this.#number;
    if (bytes > this.#bytesMax)
      return {
        number,
        error: `too long: ${formatMegabytes(bytes)}; the limit is ${formatMegabytes(this.#bytesMax)}`,
      };
    try {
      const [first = Buffer.alloc(0)] = pieces;
      return { number, text: this.#decoder.decode(pieces.length > 1 ? Buffer.concat(pieces) : first), bytes };
    } catch {
      return { number, error: notUtf8Text };
    }
  }
}

export function formatMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024).toLocaleString('en')} MB`;
}
