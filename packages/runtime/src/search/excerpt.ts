import { foldWord, isUnspaced, segmentWords, splitIdentifier, stemWord } from './words.ts';

/** Returns the terms that occur in a text. */
export type TermMatcher = (text: string) => ReadonlySet<string>;

/**
 * Looser than the index, because it only selects what to show of a passage that is known to match. A long term, or one
 * with non-Latin characters, also matches inside another word.
 */
export function createTermMatcher(terms: readonly string[]): TermMatcher {
  const wanted = terms.map((term) => {
    const folded = foldWord(term);
    return {
      term,
      folded,
      stems: listStems(term),
      isPartTelling: folded.length > 5 || /[^a-z]/.test(folded),
    };
  });
  return (text) => {
    const folded = foldWord(text);
    const stems = new Set(listStems(text));
    const matched = wanted.filter(
      (each) =>
        (each.stems.length > 0 && each.stems.every((one) => hasStem(stems, one))) ||
        (each.isPartTelling && folded.includes(each.folded)),
    );
    return new Set(matched.map(({ term }) => term));
  };
}

function listStems(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const all = words.flatMap((word) =>
    isUnspaced(word) ? segmentWords(word) : word.length > 64 ? [word] : splitIdentifier(word),
  );
  return all.map(stemWord);
}

/** `detection` matches `detect`; `statement` does not match `state`. */
function hasStem(stems: ReadonlySet<string>, wanted: string): boolean {
  if (stems.has(wanted)) return true;
  if (wanted.length < 5) return false;
  for (const each of stems) {
    if (each.length > wanted.length && each.length - wanted.length <= 3 && each.startsWith(wanted))
      return true;
  }
  return false;
}

export type ExcerptWindow = { readonly start: number; readonly end: number; readonly score: number };

export type WindowOptions = {
  readonly linesMax: number;
  /** A single line may be longer. */
  readonly charsMax: number;
  readonly matches: TermMatcher;
  /** The weight of a term, around 1. */
  readonly getTermWeight: (term: string) => number;
};

/** Readability weights, relative to the weight of a term. */
const readabilityWeights = { paragraph: 0.4, sentence: 0.2, termAgain: 0.05, hundredChars: -0.03 } as const;

/** Ensures that lines with any term rank above lines that only read well. */
const anyTerm = 2;

/**
 * Finds the lines most relevant to the terms; `end` is exclusive. It prefers short windows and paragraph boundaries.
 * Without any matching line, it returns the beginning.
 */
export function findBestWindow(lines: readonly string[], options: WindowOptions): ExcerptWindow {
  const matched = lines.map(options.matches);
  const beginning: ExcerptWindow = { start: 0, end: Math.min(lines.length, options.linesMax), score: 0 };
  if (matched.every(({ size }) => size === 0)) return beginning;
  return lines
    .map((_, start) => findBestWindowEnd(start, lines, matched, options))
    .reduce((best, window) => (window.score > best.score ? window : best), beginning);
}

function findBestWindowEnd(
  start: number,
  lines: readonly string[],
  matched: readonly ReadonlySet<string>[],
  options: WindowOptions,
): ExcerptWindow {
  let best: ExcerptWindow = { start, end: start + 1, score: 0 };
  let score = scoreBeginning(lines, start);
  let chars = 0;
  const terms = new Set<string>();
  for (let end = start + 1; end <= Math.min(lines.length, start + options.linesMax); end++) {
    const length = lines[end - 1]?.length ?? 0;
    chars += length;
    if (chars > options.charsMax && end > start + 1) break;
    for (const term of matched[end - 1] ?? []) {
      score += terms.has(term) ? readabilityWeights.termAgain : options.getTermWeight(term);
      if (terms.size === 0) score += anyTerm;
      terms.add(term);
    }
    score += readabilityWeights.hundredChars * Math.max(0.5, length / 100);
    const total = score + scoreEnding(lines, end);
    if (total > best.score) best = { start, end, score: total };
  }
  return best;
}

function scoreBeginning(lines: readonly string[], start: number): number {
  if (isBlankLine(lines[start]) || /^[\s)\]}>,;]*$/.test(lines[start] ?? '')) return 0;
  if (isBlankLine(lines[start - 1]) || isListItem(lines[start])) return readabilityWeights.paragraph;
  return endsSentence(lines[start - 1]) ? readabilityWeights.sentence : 0;
}

/** A heading introduces what follows, so it is not a good end. */
function scoreEnding(lines: readonly string[], end: number): number {
  if (isBlankLine(lines[end - 1]) || /^#{1,6}\s/.test(lines[end - 1] ?? '')) return 0;
  if (isBlankLine(lines[end]) || isListItem(lines[end])) return readabilityWeights.paragraph;
  return endsSentence(lines[end - 1]) ? readabilityWeights.sentence : 0;
}

function endsSentence(line: string | undefined): boolean {
  return line !== undefined && /[.!?;}。！？]["”’)*_`]*\s*$/.test(line);
}

/** Lines out of range and lines with only comment characters count as blank. */
function isBlankLine(line: string | undefined): boolean {
  return line === undefined || /^[\s*/]*$/.test(line);
}

/** A heading, list item or table row stands alone. An indented star is more likely a comment than a list item. */
function isListItem(line: string | undefined): boolean {
  return line !== undefined && /^(?:#{1,6}\s|\*\s|\s*(?:[-+]|\d+[.)])\s|\s*\|.*\|\s*$)/.test(line);
}

/** Clips a long line to about `charsMax` characters where most terms are; `…` marks omitted text. */
export function clipLine(line: string, charsMax: number, matches: TermMatcher): string {
  if (line.length <= charsMax) return line;
  const step = Math.ceil(charsMax / 4);
  let best = { start: 0, terms: matches(line.slice(0, charsMax)).size };
  for (let start = step; start < line.length - step; start += step) {
    const terms = matches(line.slice(start, start + charsMax)).size;
    if (terms > best.terms) best = { start, terms };
  }
  const start = best.start === 0 ? 0 : findNearbyWordStart(line, best.start);
  const end = start + charsMax >= line.length ? line.length : findNearbyWordStart(line, start + charsMax);
  return `${start > 0 ? '…' : ''}${line.slice(start, end).trim()}${end < line.length ? '…' : ''}`;
}

/** Returns the next word start if one is near. */
function findNearbyWordStart(line: string, from: number): number {
  const space = line.slice(from, from + 40).search(/\s/);
  if (space !== -1) return from + space + 1;
  return /^[\uDC00-\uDFFF]/.test(line.slice(from, from + 1)) ? from + 1 : from;
}
