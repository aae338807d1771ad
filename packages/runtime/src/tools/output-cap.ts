/** Both ends of a long output: the beginning shows what a program does, the end how it finished. */
export type OutputEnds = { readonly head: Buffer; readonly tail: Buffer; readonly total: number };

/** Buffers the first and last bytes of its input, with at most twice that size in memory for the tail. */
export class OutputEndsBuffer {
  readonly #max: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;

  /** `bytesMax` applies to each end. */
  constructor(bytesMax: number) {
    this.#max = bytesMax;
  }

  get total(): number {
    return this.#total;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const remainingBytes = this.#max - this.#head.length;
    if (remainingBytes > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, remainingBytes)]);
    const rest = chunk.subarray(Math.max(0, remainingBytes));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#max) this.#shorten();
  }

  ends(): OutputEnds {
    this.#shorten();
    return { head: this.#head, tail: this.#tail[0] ?? Buffer.alloc(0), total: this.#total };
  }

  /** Copies the bytes, so that the original chunks can be garbage-collected. */
  #shorten(): void {
    const joined = Buffer.concat(this.#tail);
    const last = Buffer.from(joined.subarray(Math.max(0, joined.length - this.#max)));
    this.#tail = [last];
    this.#tailBytes = last.length;
  }
}

/** Decodes both ends as text, with a note in place of the omitted part. */
export function formatOutputEnds(
  { head, tail, total }: OutputEnds,
  note: (omittedBytes: number) => string,
): string {
  const omitted = total - head.length - tail.length;
  if (omitted <= 0) return new TextDecoder().decode(Buffer.concat([head, tail]));
  // Streaming mode drops a partial character at the end of the head; the partial character at the start of the tail is
  // skipped.
  const start = new TextDecoder().decode(head, { stream: true });
  const end = new TextDecoder().decode(tail.subarray(countContinuationBytes(tail)));
  return `${start}\n${note(omitted)}\n${end}`;
}

function countContinuationBytes(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

/** Truncates a text in the middle and notes how many characters were omitted. */
export function capText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const half = Math.floor(charsMax / 2);
  const omitted = text.length - 2 * half;
  // Drop lone surrogates at the cut, because they cannot be encoded.
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, '');
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, '');
  return `${head}\n[… ${omitted} characters left out …]\n${tail}`;
}
