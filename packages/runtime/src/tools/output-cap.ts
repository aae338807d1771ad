/** Both ends of what is too long to keep: what a program does stands at its beginning, how it ended at its end. */
export type Ends = { readonly head: Buffer; readonly tail: Buffer; readonly total: number };

/** Keeps the first and the last bytes of what it is fed, and no more than twice that in memory. */
export class EndsOf {
  readonly #max: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;

  /** `bytesMax` is for each end. */
  constructor(bytesMax: number) {
    this.#max = bytesMax;
  }

  get total(): number {
    return this.#total;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = this.#max - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#max) this.#shorten();
  }

  ends(): Ends {
    this.#shorten();
    return { head: this.#head, tail: this.#tail[0] ?? Buffer.alloc(0), total: this.#total };
  }

  /** Copied, so that the large pieces it came in can go. */
  #shorten(): void {
    const joined = Buffer.concat(this.#tail);
    const last = Buffer.from(joined.subarray(Math.max(0, joined.length - this.#max)));
    this.#tail = [last];
    this.#tailBytes = last.length;
  }
}

/** As text, with a note where something is left out. */
export function endsAsText({ head, tail, total }: Ends, note: (bytesLeftOut: number) => string): string {
  const leftOut = total - head.length - tail.length;
  if (leftOut <= 0) return new TextDecoder().decode(Buffer.concat([head, tail]));
  // As a stream, a character cut in half at the end is left out; at the beginning of the tail its rest is skipped.
  const begin = new TextDecoder().decode(head, { stream: true });
  const end = new TextDecoder().decode(tail.subarray(restOfCharacter(tail)));
  return `${begin}\n${note(leftOut)}\n${end}`;
}

function restOfCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

/** A text within its limit: both ends of it, and between them how much is left out. */
export function capText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const half = Math.floor(charsMax / 2);
  const leftOut = text.length - 2 * half;
  // Half a character at a cut would not survive being written down.
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, '');
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, '');
  return `${head}\n[… ${leftOut} characters left out …]\n${tail}`;
}
