import { TextFingerprint } from './fingerprint.ts';

/*
 * Reduces tool output to its meaning. Outcomes that differ only in the time of day, a process id or a temporary file
 * name are the same outcome; errors that differ only in a line number or a quoted name are in the same class. The
 * patterns are generic (clocks, ids, paths) and not tied to any tool.
 *
 * Long texts are examined at both ends only, and only words that contain a digit are examined closely, so that the cost
 * is small and bounded.
 */
const meaningHeadMax = 4_000;
const meaningTailMax = 1_000;

/** The first lines of an error, or the last ones after a long trace, say what it is. */
const errorHeadMax = 300;
const errorTailMax = 200;

/**
 * Computes a fingerprint that ignores clocks, dates, durations, addresses, ids and temporary names, and treats all
 * whitespace alike. Other numbers count, because they may be the new information.
 */
export function fingerprintMeaning(text: string): string {
  const bounded = truncateMiddle(text, meaningHeadMax, meaningTailMax);
  const fingerprint = new TextFingerprint();
  fingerprint.add(text.length > bounded.length ? text.length : 0);
  let from = 0;
  for (let at = findVolatileCandidate(bounded, 0); at !== -1; at = findVolatileCandidate(bounded, from)) {
    const start = findTokenStart(bounded, at, from);
    const end = findTokenEnd(bounded, at);
    fingerprint.addText(bounded, from, start);
    const after = findVolatileEnd(bounded, start, end);
    if (after === null) fingerprint.addText(bounded, start, end);
    else fingerprint.add(volatilePlaceholder);
    from = after ?? end;
  }
  fingerprint.addText(bounded, from, bounded.length);
  return fingerprint.toString();
}

/** Reduces an error message to its class: also blanks words that contain digits, quoted words and paths. */
export function classifyError(text: string): string {
  return truncateMiddle(text.trim(), errorHeadMax, errorTailMax)
    .replaceAll(/(["'`‘“])[^"'`’”]{0,200}(["'`’”])/g, '<quoted>')
    .replaceAll(/[\w@./\\:-]+/g, (word) => (/[/\\]/.test(word) ? '<path>' : word))
    .replaceAll(/\w+/g, (word) => (/\d/.test(word) ? '#' : word))
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
}

/** Stands for omitted text; no character has this code. */
const volatilePlaceholder = 0x110001;

/** Volatile text contains a digit or is a temporary name. */
function findVolatileCandidate(text: string, from: number): number {
  const suspect = /\d|\/tmp\//g;
  suspect.lastIndex = from;
  return suspect.exec(text)?.index ?? -1;
}

function findTokenStart(text: string, at: number, from: number): number {
  let start = at;
  while (start > from && !isSeparator(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function findTokenEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && !isSeparator(text.charCodeAt(end))) end += 1;
  return end;
}

/** Which ASCII characters separate words: whitespace, brackets, quotes and similar. */
const separatorTable = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(code <= 0x20 || '()[]{}<>,;"\'`=|'.includes(String.fromCharCode(code))),
);

function isSeparator(code: number): boolean {
  return code < 128 && separatorTable[code] === 1;
}

/** Returns where volatile text ends, if this word is or starts such text; otherwise null. */
function findVolatileEnd(text: string, start: number, end: number): number | null {
  const word = text.slice(start, end);
  if (volatilePattern.test(word)) return end;
  if (!/^\d+(?:\.\d+)?$/.test(word)) return null;
  if (/\bpid[ =:]*$/i.test(text.slice(Math.max(0, start - 8), start))) return end;
  const [unit] = /^ (?:ms|s|sec|secs|seconds|minutes)\b/.exec(text.slice(end, end + 9)) ?? [];
  return unit === undefined ? null : end + unit.length;
}

/** Dates and times, durations, addresses, temporary names, and long hexadecimal ids, also with a prefix. */
const volatilePattern = new RegExp(
  [
    String.raw`^/tmp/`,
    String.raw`^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-][\d:]+)?)?[.:]?$`,
    String.raw`^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?[.:]?$`,
    String.raw`^\d+(?:\.\d+)?(?:ms|µs|us|ns|s|sec|secs)[.:]?$`,
    String.raw`^0x[\da-f]+[.:]?$`,
    String.raw`^(?:[a-z]+[_-])?(?=[a-f-]*\d)(?=[\d-]*[a-f])[\da-f-]{7,}[.:]?$`,
  ].join('|'),
  'i',
);

function truncateMiddle(text: string, head: number, tail: number): string {
  return text.length <= head + tail ? text : `${text.slice(0, head)} … ${text.slice(-tail)}`;
}
