import { Fingerprint } from './digest.ts';

/*
 * What a tool said, reduced to what it means. Two outcomes that differ only in the time of day, a process number or the
 * name of a temporary file are the same outcome; two errors that differ only in a line number or a quoted name are of
 * the same class. Nothing here knows any tool: the patterns are those of clocks, ids and paths in general.
 *
 * Long texts are looked at from both ends, and the text is gone through once, so that the cost is small and bounded.
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
  let previous = '';
  let start = 0;
  let hasDigit = false;
  for (let index = 0; index <= bounded.length; index += 1) {
    const code = index === bounded.length ? space : bounded.charCodeAt(index);
    if (code >= zero && code <= nine) hasDigit = true;
    if (!isSeparator(code)) continue;
    if (index > start)
      previous = addWord(fingerprint, { text: bounded, start, end: index, hasDigit, previous });
    // White space only parts words; other separators mean something.
    if (code > space) fingerprint.add(code);
    start = index + 1;
    hasDigit = false;
  }
  return fingerprint.toString();
}

type Word = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly hasDigit: boolean;
  /** The word before it, if that was a number or announces one; else empty. */
  readonly previous: string;
};

/** Adds a word, or a blank for one that may change at any time. Returns it if it says something about the next word. */
function addWord(fingerprint: Fingerprint, { text, start, end, hasDigit, previous }: Word): string {
  // Only a word with a digit, a path, or what follows a number can be left out; most words are none of these.
  const isPlain = !hasDigit && previous === '' && text.charCodeAt(start) !== slash;
  if (!isPlain && isVolatile(text.slice(start, end), previous)) fingerprint.add(blank);
  else fingerprint.addRange(text, start, end);
  return hasDigit || isPid(text, start, end) ? text.slice(start, end) : '';
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

const space = 0x20;
const slash = 0x2f;
const zero = 0x30;
const nine = 0x39;

/** Stands for what was left out; no character has this code. */
const blank = 0x110001;

/** Which of the first 128 characters part words: white space, brackets, quotes and the like. */
const parting = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(code <= space || '()[]{}<>,;"\'`=|'.includes(String.fromCharCode(code))),
);

function isSeparator(code: number): boolean {
  return code < 128 && parting[code] === 1;
}

/** Looks at the first letter first: this is asked of every short word. */
function isPid(text: string, start: number, end: number): boolean {
  return (
    (text.charCodeAt(start) | 0x20) === 0x70 && end - start <= 4 && /^pid:?$/i.test(text.slice(start, end))
  );
}

function isVolatile(word: string, previous: string): boolean {
  if (word.startsWith('/tmp/')) return true;
  if (isNumber(previous)) return isUnit(word) || volatile.test(word);
  return volatile.test(word) || (isNumber(word) && /^pid/i.test(previous));
}

/** Dates and times, durations, addresses, and long mixtures of digits and the letters a to f, also behind a prefix. */
const volatile = new RegExp(
  [
    String.raw`^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-][\d:]+)?)?[.:]?$`,
    String.raw`^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?[.:]?$`,
    String.raw`^\d+(?:\.\d+)?(?:ms|µs|us|ns|s|sec|secs)[.:]?$`,
    String.raw`^0x[\da-f]+[.:]?$`,
    String.raw`^(?:[a-z]+[_-])?(?=[a-f-]*\d)(?=[\d-]*[a-f])[\da-f-]{7,}[.:]?$`,
  ].join('|'),
  'i',
);

function isUnit(word: string): boolean {
  return word.length <= 8 && /^(?:ms|s|sec|secs|seconds|minutes)[.:]?$/.test(word);
}

function isNumber(word: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(word);
}

function ends(text: string, head: number, tail: number): string {
  return text.length <= head + tail ? text : `${text.slice(0, head)} … ${text.slice(-tail)}`;
}
