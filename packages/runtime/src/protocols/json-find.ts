import { finder, isSpace, skipSpace, type Source } from './source.ts';

/** A stretch of a text that may be JSON. `end` is the place after it. */
export type Stretch = {
  readonly start: number;
  readonly end: number;
  /**
   * `closed` its brackets match · `fenced` they do not, but the code block around it was closed, so nothing is missing but a
   * bracket · `cut` the text ends before they do.
   */
  readonly ending: 'closed' | 'fenced' | 'cut';
};

/** The outermost objects and lists of objects in a text, from left to right. Nothing follows one that is cut. */
export function* stretches(source: Source): Generator<Stretch> {
  const brace = finder(source, '{');
  const bracket = finder(source, '[');
  let at = 0;
  while (at < source.length) {
    const start = Math.min(brace(at), bracket(at));
    if (start === source.length) return;
    if (isLikelyStart(source, start)) {
      const stretch = scan(source, start);
      yield stretch;
      at = stretch.end;
    } else {
      at = start + 1;
    }
  }
}

/** From an opening bracket to the one that closes it. */
export function scan(source: Source, start: number): Stretch {
  const isFenced = fenceBefore.test(source.slice(Math.max(0, start - lookBack), start));
  let depth = 0;
  let before = 0;
  for (let at = start; at < source.length; at += 1) {
    const code = source.codeAt(at);
    if (isSpace(code)) continue;
    if (code === quote || (code === apostrophe && opensValue(before))) {
      at = endOfString(source, at, code);
    } else if (isFenced && code === backtick && source.slice(at - 1, at + 3) === '\n```') {
      return { start, end: at, ending: 'fenced' };
    } else {
      depth += depthChange(code);
      if (depth === 0) return { start, end: at + 1, ending: 'closed' };
    }
    before = code;
  }
  return { start, end: source.length, ending: 'cut' };
}

const [quote, apostrophe, backtick, backslash] = [0x22, 0x27, 0x60, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [colon, comma, dot, ellipsis] = [0x3a, 0x2c, 0x2e, 0x2026];

/** What can be said about JSON without reading it. */
export type Outline = {
  readonly openings: number;
  readonly keys: number;
  /** Whether something is left out that a repair would invent or drop: a value after a key, or more where dots stand. */
  readonly hasGap: boolean;
};

export function outlineOf(source: Source): Outline {
  let [openings, keys, hasGap, before] = [0, 0, false, 0];
  for (let at = 0; at < source.length; at += 1) {
    const code = source.codeAt(at);
    if (isSpace(code)) continue;
    hasGap ||= before === colon && endsValue(code);
    hasGap ||= code === ellipsis || (code === dot && source.slice(at, at + 3) === '...');
    openings += Number(depthChange(code) === 1);
    keys += Number(code === colon);
    if (code === quote || (code === apostrophe && opensValue(before))) at = endOfString(source, at, code);
    before = code;
  }
  return { openings, keys, hasGap: hasGap || before === colon };
}

function depthChange(code: number): number {
  if (code === openBrace || code === openBracket) return 1;
  return code === closeBrace || code === closeBracket ? -1 : 0;
}

/** The line that opens a code block, right before the JSON. */
const fenceBefore = /```[\w-]{0,20}\s*$/;
const lookBack = 60;

/** After one of these a quote begins a string; elsewhere an apostrophe is just that. */
function opensValue(code: number): boolean {
  return code === openBrace || code === openBracket || code === colon || code === comma;
}

/**
 * The place of the quote that ends a string. Models forget to escape quotes, so one that is not followed by what may follow a
 * string is taken as part of it.
 */
function endOfString(source: Source, start: number, mark: number): number {
  let at = start + 1;
  while (at < source.length) {
    const code = source.codeAt(at);
    if (code === backslash) {
      at += 2;
      continue;
    }
    if (code === mark) {
      const next = source.codeAt(skipSpace(source, at + 1));
      if (next === -1 || endsValue(next)) return at;
    }
    at += 1;
  }
  return at;
}

function endsValue(code: number): boolean {
  return code === comma || code === colon || code === closeBrace || code === closeBracket;
}

/** An object begins with a key or a comment, a list of calls with an object. Braces in prose and code mostly do not. */
function isLikelyStart(source: Source, start: number): boolean {
  const at = skipSpace(source, start + 1);
  const code = source.codeAt(at);
  if (source.codeAt(start) === openBracket) return code === openBrace;
  if (code === quote || code === apostrophe) return true;
  return /^(?:[\w-]{1,40}\s{0,4}:|\/[/*])/.test(source.slice(at, at + 50));
}
