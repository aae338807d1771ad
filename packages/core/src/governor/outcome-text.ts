import { Fingerprint } from './digest.ts';

/*
 * What a tool said, reduced to what it means. Two outcomes that differ only in the time of day, a process number or the
 * name of a temporary file are the same outcome; two errors that differ only in a line number or a quoted name are of
 * the same class. Nothing here knows any tool: the patterns are those of clocks, ids and paths in general.
 *
 * Long texts are looked at from both ends, and only words with a digit in them are looked at closely, so that the cost is
 * small and bounded.
 */
const headMax = 4_000;
const tailMax = 1_000;

/** An error says what it is in its first lines, or after a long trace in its last. */
const errorHeadMax = 300;
const errorTailMax = 200;

/**
 * A fingerprint that leaves out clocks, dates, durations, addresses, ids and temporary names, and takes any white space
 * for any other. Other numbers stay: they may be the news.
 */
export function meaningOf(text: string): string {
  const bounded = ends(text, headMax, tailMax);
  const fingerprint = new Fingerprint();
  fingerprint.add(text.length > bounded.length ? text.length : 0);
  let from = 0;
  for (let at = nextSuspect(bounded, 0); at !== -1; at = nextSuspect(bounded, from)) {
    const start = startOfWord(bounded, at, from);
    const end = endOfWord(bounded, at);
    fingerprint.addText(bounded, from, start);
    const after = endOfVolatile(bounded, start, end);
    if (after === null) fingerprint.addText(bounded, start, end);
    else fingerprint.add(blank);
    from = after ?? end;
  }
  fingerprint.addText(bounded, from, bounded.length);
  return fingerprint.toString();
}

/** What kind of error this is: words with digits in them, quoted words and paths are blanked as well. */
export function errorClass(text: string): string {
  return ends(text.trim(), errorHeadMax, errorTailMax)
    .replaceAll(/(["'`‘“])[^"'`’”]{0,200}(["'`’”])/g, '<quoted>')
    .replaceAll(/[\w@./\\:-]+/g, (word) => (/[/\\]/.test(word) ? '<path>' : word))
    .replaceAll(/\w+/g, (word) => (/\d/.test(word) ? '#' : word))
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
}

/** Stands for what was left out; no character has this code. */
const blank = 0x110001;

/** Whatever changes by itself has a digit in it, or is a temporary name. */
function nextSuspect(text: string, from: number): number {
  const suspect = /\d|\/tmp\//g;
  suspect.lastIndex = from;
  return suspect.exec(text)?.index ?? -1;
}

function startOfWord(text: string, at: number, from: number): number {
  let start = at;
  while (start > from && !isSeparator(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function endOfWord(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && !isSeparator(text.charCodeAt(end))) end += 1;
  return end;
}

/** Which of the first 128 characters part words: white space, brackets, quotes and the like. */
const parting = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(code <= 0x20 || '()[]{}<>,;"\'`=|'.includes(String.fromCharCode(code))),
);

function isSeparator(code: number): boolean {
  return code < 128 && parting[code] === 1;
}

/** Where what may change at any time ends, if this word is or begins such a thing; else null. */
function endOfVolatile(text: string, start: number, end: number): number | null {
  const word = text.slice(start, end);
  if (volatile.test(word)) return end;
  if (!/^\d+(?:\.\d+)?$/.test(word)) return null;
  if (/\bpid[ =:]*$/i.test(text.slice(Math.max(0, start - 8), start))) return end;
  const [unit] = /^ (?:ms|s|sec|secs|seconds|minutes)\b/.exec(text.slice(end, end + 9)) ?? [];
  return unit === undefined ? null : end + unit.length;
}

/**
 * Dates and times, durations, addresses, temporary names, and long mixtures of digits and the letters a to f, also
 * behind a prefix.
 */
const volatile = new RegExp(
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

function ends(text: string, head: number, tail: number): string {
  return text.length <= head + tail ? text : `${text.slice(0, head)} … ${text.slice(-tail)}`;
}
