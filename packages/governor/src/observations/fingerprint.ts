import type { Json } from '../json/json.ts';

/**
 * Computes a short fingerprint: equal texts have equal fingerprints, and different texts of one session practically
 * never collide. It is not cryptographic, because the core has no cryptography dependency.
 */
export function fingerprintText(text: string): string {
  const fingerprint = new TextFingerprint();
  fingerprint.addExactly(text);
  return fingerprint.toString();
}

/** Incremental fingerprint; a class, so that adding a piece allocates no object. */
export class TextFingerprint {
  #one = 0x811c9dc5;
  #two = 0x2f0b4a97;

  add(code: number): void {
    this.#one = Math.imul(this.#one ^ code, 0x01000193);
    this.#two = Math.imul(this.#two ^ code, 0x85ebca6b) ^ (this.#two >>> 13);
  }

  /** Adds a text verbatim. */
  addExactly(text: string): void {
    let one = this.#one;
    let two = this.#two;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two ^ code, 0x85ebca6b) ^ (two >>> 13);
    }
    this.#one = one;
    this.#two = two;
  }

  /** Adds part of a text that is given as UTF-16 code units. */
  addCodes(codes: Uint16Array, start: number, end: number): void {
    let one = this.#one;
    let two = this.#two;
    for (let index = start; index < end; index += 1) {
      const code = codes[index] ?? 0;
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two ^ code, 0x85ebca6b) ^ (two >>> 13);
    }
    this.#one = one;
    this.#two = two;
  }

  /** Adds part of a text, with each run of whitespace treated as one space. */
  addText(text: string, start: number, end: number): void {
    let one = this.#one;
    let two = this.#two;
    let wasSpace = false;
    for (let index = start; index < end; index += 1) {
      const code = Math.max(text.charCodeAt(index), spaceCode);
      if (code === spaceCode && wasSpace) continue;
      wasSpace = code === spaceCode;
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two ^ code, 0x85ebca6b) ^ (two >>> 13);
    }
    this.#one = one;
    this.#two = two;
  }

  toNumber(): number {
    return (this.#one ^ Math.imul(this.#two, 0x9e3779b1)) >>> 0;
  }

  toString(): string {
    return formatBase36(this.#one >>> 0) + formatBase36(this.#two >>> 0);
  }
}

const base36Pairs = Array.from({ length: 36 * 36 }, (_, number) => number.toString(36).padStart(2, '0'));

/** Formats an unsigned integer of 32 bits; the general `toString` takes several times as long. */
function formatBase36(number: number): string {
  const upper = Math.floor(number / (36 * 36 * 36 * 36));
  if (upper === 0) return number.toString(36);
  const lower = number - upper * (36 * 36 * 36 * 36);
  const middle = Math.floor(lower / (36 * 36));
  const pairs = `${base36Pairs[middle] ?? ''}${base36Pairs[lower - middle * (36 * 36)] ?? ''}`;
  const top = Math.floor(upper / (36 * 36));
  const head = base36Pairs[upper - top * (36 * 36)] ?? '';
  if (top > 0) return `${top}${head}${pairs}`;
  return `${upper < 36 ? head.slice(1) : head}${pairs}`;
}

const spaceCode = 0x20;

/** Values nested deeper than this are not distinguished, because no tool takes arguments nested so deeply. */
const canonicalDepthMax = 40;

/** Computes the fingerprint of a word and a value: equal to that of their text, with canonical JSON. */
export function fingerprintJson(word: string, value: Json): string {
  const fingerprint = new TextFingerprint();
  fingerprint.addExactly(`${word} `);
  addCanonicalJson(fingerprint, value, 0);
  return fingerprint.toString();
}

/** Adds a value as `canonicalizeJson` writes it, without building the text. Hosts may pass undefined inside a value. */
function addCanonicalJson(fingerprint: TextFingerprint, value: Json | undefined, depth: number): void {
  if (value === undefined || value === null || typeof value !== 'object')
    fingerprint.addExactly(JSON.stringify(value) ?? 'undefined');
  else if (depth === canonicalDepthMax) fingerprint.addExactly('…');
  else if (isJsonArray(value)) {
    fingerprint.addExactly('[');
    for (const [index, item] of value.entries()) {
      if (index > 0) fingerprint.addExactly(',');
      if (item !== undefined) addCanonicalJson(fingerprint, item, depth + 1);
    }
    fingerprint.addExactly(']');
  } else {
    fingerprint.addExactly('{');
    for (const [index, name] of Object.keys(value).toSorted(compareNames).entries()) {
      fingerprint.addExactly(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`);
      addCanonicalJson(fingerprint, value[name], depth + 1);
    }
    fingerprint.addExactly('}');
  }
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** Serializes JSON with sorted object keys, so that equal values give equal texts. */
export function canonicalizeJson(value: Json, depth = 0): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (depth === canonicalDepthMax) return '…';
  if (isJsonArray(value)) return `[${value.map((item) => canonicalizeJson(item, depth + 1)).join(',')}]`;
  const entries = Object.entries(value).toSorted(([a], [b]) => compareNames(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalizeJson(item, depth + 1)}`).join(',')}}`;
}

function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

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
  return fingerprintSteadyText(text, volatilePattern);
}

/**
 * Like `fingerprintMeaning`, and also ignores request ids, process ids in brackets, folders for temporary files,
 * spinners, and the line numbers that shells put before their messages.
 */
export function fingerprintResult(text: string): string {
  const steady = /[\u2800-\u28FF]/.test(text) ? text.replaceAll(/[\u2800-\u28FF]+/g, ' ') : text;
  return fingerprintSteadyText(removeShellLines(steady), resultVolatilePattern);
}

const shellLine = /((?:^|\n)[^\s:]{0,80}(?:sh|\(eval\))):(?: line)? ?\d+:/g;

/** Removes the line numbers that shells put before their messages: they grow with every command of a session. */
export function removeShellLines(text: string): string {
  return text.includes('sh:') || text.includes('(eval):') ? text.replaceAll(shellLine, '$1:') : text;
}

function fingerprintSteadyText(text: string, volatile: RegExp): string {
  const bounded = truncateMiddle(text, meaningHeadMax, meaningTailMax);
  const fingerprint = new TextFingerprint();
  fingerprint.add(text.length > bounded.length ? text.length : 0);
  let from = 0;
  volatileHint.lastIndex = 0;
  // The match itself is not needed, and `exec` would allocate it.
  for (let searched = 0; volatileHint.test(bounded); volatileHint.lastIndex = searched) {
    const start = findTokenStart(bounded, volatileHint.lastIndex - 1, searched);
    const end = findTokenEnd(bounded, volatileHint.lastIndex);
    const after = findVolatileEnd(bounded, start, { end, volatile });
    searched = after ?? end;
    if (after === null) continue;
    fingerprint.addText(bounded, from, start);
    fingerprint.add(volatilePlaceholder);
    from = after;
  }
  fingerprint.addText(bounded, from, bounded.length);
  return fingerprint.toString();
}

/** Volatile text contains a digit or is a temporary name. */
const volatileHint = /\d|\/tmp\//g;

/** Reduces an error message to its class: also blanks words that contain digits, quoted words and paths. */
export function classifyError(text: string): string {
  return generalizeWords(
    truncateMiddle(text.trim(), errorHeadMax, errorTailMax).replaceAll(
      /(["'`‘“])[^"'`’”]{0,200}(["'`’”])/g,
      '<quoted>',
    ),
  ).toLowerCase();
}

/** Replaces paths, and words that contain digits, and each run of whitespace by one space. */
function generalizeWords(text: string): string {
  let result = '';
  let from = 0;
  for (let index = 0; index < text.length;) {
    const kind = getCharacterKind(text.charCodeAt(index));
    if (kind === otherCharacter) {
      index += 1;
      continue;
    }
    const start = index;
    let mask = 0;
    for (; index < text.length && isSameRun(kind, text.charCodeAt(index)); index += 1)
      mask |= getCharacterKind(text.charCodeAt(index));
    const replacement = kind === spaceCharacter ? ' ' : generalizeWord(text, start, { end: index, mask });
    if (replacement === null) continue;
    result += text.slice(from, start) + replacement;
    from = index;
  }
  return from === 0 ? text : result + text.slice(from);
}

/** Returns null for a word that stays as it is. `mask` says which kinds of characters it contains. */
function generalizeWord(
  text: string,
  start: number,
  { end, mask }: { readonly end: number; readonly mask: number },
): string | null {
  if ((mask & slashCharacter) !== 0) return '<path>';
  if ((mask & digitCharacter) === 0) return null;
  return text.slice(start, end).replaceAll(/\w+/g, (word) => (/\d/.test(word) ? '#' : word));
}

/* Kinds of characters; those of one word are combined with a bitwise or. */
const otherCharacter = 0;
const spaceCharacter = 1;
const plainCharacter = 2;
const digitCharacter = 4;
const slashCharacter = 8;

const characterKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return spaceCharacter;
  if (/\d/.test(character)) return digitCharacter;
  if (/[/\\]/.test(character)) return slashCharacter;
  return /[\w@.:-]/.test(character) ? plainCharacter : otherCharacter;
});

function getCharacterKind(code: number): number {
  if (code < 128) return characterKinds[code] ?? otherCharacter;
  return /\s/.test(String.fromCharCode(code)) ? spaceCharacter : otherCharacter;
}

function isSameRun(kind: number, code: number): boolean {
  const other = getCharacterKind(code);
  return other !== otherCharacter && (other === spaceCharacter) === (kind === spaceCharacter);
}

/** Stands for omitted text; no character has this code. */
const volatilePlaceholder = 0x110001;

function findTokenStart(text: string, at: number, from: number): number {
  let start = at;
  while (start > from && !isSeparator(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function findTokenEnd(text: string, from: number): number {
  let end = from;
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
function findVolatileEnd(
  text: string,
  start: number,
  { end, volatile }: { readonly end: number; readonly volatile: RegExp },
): number | null {
  // A bare number is never volatile by itself, and is by far the most frequent word.
  if (!isBareNumber(text, start, end)) return volatile.test(text.slice(start, end)) ? end : null;
  if (followsPid(text, start)) return end;
  if (volatile === resultVolatilePattern && isProcessId(text, start, end)) return end;
  if (text.charAt(end) !== ' ' || !'ms'.includes(text.charAt(end + 1))) return null;
  const [unit] = /^ (?:ms|s|sec|secs|seconds|minutes)\b/.exec(text.slice(end, end + 9)) ?? [];
  return unit === undefined ? null : end + unit.length;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether this word is digits, with or without a fraction. */
function isBareNumber(text: string, start: number, end: number): boolean {
  let point = -1;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (isDigit(code)) continue;
    if (code !== pointCode || point !== -1) return false;
    point = index;
  }
  return point === -1 || (point > start && point < end - 1);
}

const pointCode = 0x2e;

/** Whether the word before a number is `pid`. */
function followsPid(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  if (before !== ' ' && before !== '=') return false;
  let end = start;
  while (end > 0 && ' =:'.includes(text.charAt(end - 1))) end -= 1;
  return (
    'dD'.includes(text.charAt(end - 1)) && /\bpid[ =:]*$/i.test(text.slice(Math.max(0, start - 8), start))
  );
}

/** Log lines name a process as `name[1234]:`. */
function isProcessId(text: string, start: number, end: number): boolean {
  return (
    text.charAt(start - 1) === '[' &&
    end - start >= 3 &&
    /\w\[$/.test(text.slice(Math.max(0, start - 2), start)) &&
    text.startsWith(']:', end)
  );
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

const resultVolatilePattern = new RegExp(
  [
    volatilePattern.source,
    String.raw`^/(?:private/tmp|var/folders|dev/shm)/`,
    String.raw`^(?:req|request|trace|span|chunk|correlation)[_-][\w-]{6,}$`,
    String.raw`^\d{1,3}m\d{1,2}(?:\.\d+)?s[.:]?$`,
  ].join('|'),
  'i',
);

function truncateMiddle(text: string, head: number, tail: number): string {
  return text.length <= head + tail ? text : `${text.slice(0, head)} … ${text.slice(-tail)}`;
}

const queryArgumentNames = [
  'query',
  'q',
  'search_term',
  'searchTerm',
  'search_query',
  'keyword',
  'keywords',
  'pattern',
];

/** Longer queries are compared by their first characters only. */
const queryLengthMax = 500;

/** Computes a fingerprint of a call's search query that ignores word order, case and punctuation. */
export function fingerprintQuery(args: Json): string | null {
  const query = getTextArgument(args, queryArgumentNames);
  if (query === null) return null;
  const words = query
    .slice(0, queryLengthMax)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return words.length === 0 ? null : fingerprintText(words.toSorted().join(' '));
}

/** Returns the first of these arguments that is a string, or null. Tools use different names for the same argument. */
export function getTextArgument(args: Json, names: readonly string[]): string | null {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  const fields = args as { readonly [key: string]: Json };
  let rank = names.length;
  let text: string | null = null;
  // A call has fewer arguments than there are names.
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (typeof value !== 'string') continue;
    const found = names.indexOf(name);
    if (found === -1 || found >= rank) continue;
    rank = found;
    text = value;
  }
  return text;
}
