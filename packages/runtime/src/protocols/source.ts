/**
 * A text to scan that counts the characters looked at. All scanning goes through it, so that a test can hold the scanners to
 * work that grows with the text and not with its square.
 */
export type Source = {
  readonly text: string;
  readonly length: number;
  /** The code of one character; -1 past the end. */
  codeAt(index: number): number;
  /** Where the part next stands, at `from` or after it; the length of the text when it does not. */
  find(part: string, from: number): number;
  slice(from: number, to: number): string;
  looked(): number;
};

export function sourceOf(text: string): Source {
  let looked = 0;
  return {
    text,
    length: text.length,
    codeAt(index) {
      looked += 1;
      return index < text.length ? text.charCodeAt(index) : -1;
    },
    find(part, from) {
      const at = text.indexOf(part, from);
      const end = at === -1 ? text.length : at;
      looked += Math.max(0, end - from) + part.length;
      return end;
    },
    slice(from, to) {
      looked += Math.max(0, to - from);
      return text.slice(from, to);
    },
    looked: () => looked,
  };
}

/** `find` for places asked for in rising order: what was found once is not looked for again. */
export function finder(source: Source, part: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = source.find(part, from);
    return found;
  };
}

/** The first place at `from` or after it that holds no white space. */
export function skipSpace(source: Source, from: number): number {
  let at = from;
  while (isSpace(source.codeAt(at))) at += 1;
  return at;
}

export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0xfeff;
}
