import { fold, isUnspaced, segment, splitIdentifier, stem } from './words.ts';

/** Says which of some terms a text has. */
export type Matcher = (text: string) => ReadonlySet<string>;

/**
 * Looser than the index: for choosing what to show of a passage that is known to match. A long word, or one with other
 * signs than Latin letters, also counts inside another.
 */
export function createMatcher(terms: readonly string[]): Matcher {
  const wanted = terms.map((term) => {
    const folded = fold(term);
    return { term, folded, stems: stemsOf(term), isPartTelling: folded.length > 5 || /[^a-z]/.test(folded) };
  });
  return (text) => {
    const folded = fold(text);
    const stems = new Set(stemsOf(text));
    const has = wanted.filter(
      (each) =>
        (each.stems.length > 0 && each.stems.every((one) => hasStem(stems, one))) ||
        (each.isPartTelling && folded.includes(each.folded)),
    );
    return new Set(has.map(({ term }) => term));
  };
}

function stemsOf(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const all = words.flatMap((word) =>
    isUnspaced(word) ? segment(word) : word.length > 64 ? [word] : splitIdentifier(word),
  );
  return all.map(stem);
}

/** `detection` goes with `detect`; `statement` does not go with `state`. */
function hasStem(stems: ReadonlySet<string>, wanted: string): boolean {
  if (stems.has(wanted)) return true;
  if (wanted.length < 5) return false;
  for (const each of stems) {
    if (each.length > wanted.length && each.length - wanted.length <= 3 && each.startsWith(wanted))
      return true;
  }
  return false;
}

export type Window = { readonly start: number; readonly end: number; readonly worth: number };

export type WindowOptions = {
  readonly linesMax: number;
  /** A single line may be longer. */
  readonly charsMax: number;
  readonly matches: Matcher;
  /** What having this term is worth, about 1. */
  readonly worthOf: (term: string) => number;
};

/** Next to the worth of a term: what makes lines good to read. */
const readability = { paragraph: 0.4, sentence: 0.2, termAgain: 0.05, hundredChars: -0.03 } as const;

/** Lines with any term come before lines that only read well. */
const anyTerm = 2;

/**
 * The few lines that say most about the terms: `start` to `end`, the latter not included. It likes to begin and end where
 * a paragraph does, and to be short. Without any term in the lines it is their beginning.
 */
export function bestWindow(lines: readonly string[], options: WindowOptions): Window {
  const matched = lines.map(options.matches);
  const beginning: Window = { start: 0, end: Math.min(lines.length, options.linesMax), worth: 0 };
  if (matched.every(({ size }) => size === 0)) return beginning;
  return lines
    .map((_, start) => bestFrom(start, lines, matched, options))
    .reduce((best, window) => (window.worth > best.worth ? window : best), beginning);
}

function bestFrom(
  start: number,
  lines: readonly string[],
  matched: readonly ReadonlySet<string>[],
  options: WindowOptions,
): Window {
  let best: Window = { start, end: start + 1, worth: 0 };
  let worth = beginningAt(lines, start);
  let chars = 0;
  const terms = new Set<string>();
  for (let end = start + 1; end <= Math.min(lines.length, start + options.linesMax); end++) {
    const length = lines[end - 1]?.length ?? 0;
    chars += length;
    if (chars > options.charsMax && end > start + 1) break;
    for (const term of matched[end - 1] ?? []) {
      worth += terms.has(term) ? readability.termAgain : options.worthOf(term);
      if (terms.size === 0) worth += anyTerm;
      terms.add(term);
    }
    worth += readability.hundredChars * Math.max(0.5, length / 100);
    const total = worth + endingBefore(lines, end);
    if (total > best.worth) best = { start, end, worth: total };
  }
  return best;
}

function beginningAt(lines: readonly string[], start: number): number {
  if (isBlank(lines[start]) || /^[\s)\]}>,;]*$/.test(lines[start] ?? '')) return 0;
  if (isBlank(lines[start - 1]) || isItem(lines[start])) return readability.paragraph;
  return endsSentence(lines[start - 1]) ? readability.sentence : 0;
}

/** A heading announces something and so ends nothing. */
function endingBefore(lines: readonly string[], end: number): number {
  if (isBlank(lines[end - 1]) || /^#{1,6}\s/.test(lines[end - 1] ?? '')) return 0;
  if (isBlank(lines[end]) || isItem(lines[end])) return readability.paragraph;
  return endsSentence(lines[end - 1]) ? readability.sentence : 0;
}

function endsSentence(line: string | undefined): boolean {
  return line !== undefined && /[.!?;}。！？]["”’)*_`]*\s*$/.test(line);
}

/** What is outside counts as blank, and so does a line with nothing but comment signs. */
function isBlank(line: string | undefined): boolean {
  return line === undefined || /^[\s*/]*$/.test(line);
}

/** A heading, list item or table row stands for itself. An indented star is more likely a comment than a list. */
function isItem(line: string | undefined): boolean {
  return line !== undefined && /^(?:#{1,6}\s|\*\s|\s*(?:[-+]|\d+[.)])\s|\s*\|.*\|\s*$)/.test(line);
}

/** At most about `charsMax` characters of a long line, where most of the terms are; `…` marks what was left out. */
export function clip(line: string, charsMax: number, matches: Matcher): string {
  if (line.length <= charsMax) return line;
  const step = Math.ceil(charsMax / 4);
  let best = { start: 0, terms: matches(line.slice(0, charsMax)).size };
  for (let start = step; start < line.length - step; start += step) {
    const terms = matches(line.slice(start, start + charsMax)).size;
    if (terms > best.terms) best = { start, terms };
  }
  const start = best.start === 0 ? 0 : wordStart(line, best.start);
  const end = start + charsMax >= line.length ? line.length : wordStart(line, start + charsMax);
  return `${start > 0 ? '…' : ''}${line.slice(start, end).trim()}${end < line.length ? '…' : ''}`;
}

/** The next beginning of a word, if there is one near. */
function wordStart(line: string, from: number): number {
  const space = line.slice(from, from + 40).search(/\s/);
  if (space !== -1) return from + space + 1;
  return /^[\uDC00-\uDFFF]/.test(line.slice(from, from + 1)) ? from + 1 : from;
}
