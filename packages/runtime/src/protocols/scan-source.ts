/**
 * A text that counts the characters scanned. All scanning goes through it, so that a test can verify that the scanners
 * run in linear time.
 */
export type ScanSource = {
  readonly text: string;
  readonly length: number;
  /** The code of one character; -1 past the end. */
  codeAt(index: number): number;
  /** The position of the next occurrence at or after `from`; the text's length if there is none. */
  find(part: string, from: number): number;
  slice(from: number, to: number): string;
  countScanned(): number;
};

export function createScanSource(text: string): ScanSource {
  let scanned = 0;
  return {
    text,
    length: text.length,
    codeAt(index) {
      scanned += 1;
      return index < text.length ? text.charCodeAt(index) : -1;
    },
    find(part, from) {
      const at = text.indexOf(part, from);
      const end = at === -1 ? text.length : at;
      scanned += Math.max(0, end - from) + part.length;
      return end;
    },
    slice(from, to) {
      scanned += Math.max(0, to - from);
      return text.slice(from, to);
    },
    countScanned: () => scanned,
  };
}

/** Like `find` for increasing positions: it does not search again for an occurrence already found. */
export function createForwardFinder(source: ScanSource, part: string): (from: number) => number {
  let lastMatch = -1;
  return (from) => {
    if (lastMatch < from) lastMatch = source.find(part, from);
    return lastMatch;
  };
}

/** The first position at or after `from` that is not whitespace. */
export function skipWhitespace(source: ScanSource, from: number): number {
  let at = from;
  while (isWhitespaceCode(source.codeAt(at))) at += 1;
  return at;
}

export function isWhitespaceCode(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0xfeff;
}

/** Returns the text before and after a section, without the code fence around the section. */
export function extractSurroundingProse(
  source: ScanSource,
  { start, end }: { readonly start: number; readonly end: number },
): string {
  const before = source.slice(0, start).trimEnd();
  const after = source.slice(end, source.length).trimStart();
  const [fence] = /```[\w-]{0,20}$/.exec(before.slice(-fenceMax)) ?? [];
  const isFenced = fence !== undefined && after.startsWith('```');
  const parts = isFenced
    ? [before.slice(0, -fence.length).trimEnd(), after.slice(3).trimStart()]
    : [before, after];
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .trim();
}

const fenceMax = 30;
