import { passageLimits, queryLimits } from './limits.ts';

/** Words typical of questions rather than answers. Apostrophes are removed, as in `dont`. */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a about after also am an and any are as at be because been before being but by can cant ' +
    'could did do does doesnt doing done dont during each for from ' +
    'get gets give given go goes going got had has hasnt have having he her here him his how i if im in into is isnt it ' +
    'its itself just know let lets like many may me might more most much must my need no nor not of off on one or other ' +
    'our out over own please same say says shall she should show so some such tell than that thats the their them then ' +
    'there these they this those through to too under until up upon us use used uses using very want was way we were ' +
    'what whats when where wheres which while who whom whose why will with within without work works would you your ' +
    'explain describe find list mean means happens happen called exactly ' +
    'contain contains defined declared implemented located'
  ).split(' '),
);

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase().replace(/['’]/g, ''));
}

/** Removes case and accents. */
export function foldWord(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Splits `createHTTPServer2` into `create`, `HTTP`, `Server2`; a word without inner capitals stays whole. */
export function splitIdentifier(word: string): readonly string[] {
  return word
    .split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|_+/u)
    .filter((part) => part !== '');
}

/**
 * Strips English suffixes, so that `stopping`, `stopped` and `stops` are equal. Only used to select lines to show: the
 * index has its own, better stemmer.
 */
export function stemWord(word: string): string {
  const base = foldWord(word).replace(/(?<=.{3})(?:ies|ied|ing|ed|es|s)$/u, '');
  return base.replace(/(?<=.{3})[ey]$/u, '').replace(/([bdgklmnprt])\1$/u, '$1');
}

/** Scripts written without spaces between words. */
const unspacedPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** A fixed locale, so that segmentation does not depend on the machine. */
const wordSegmenter = new Intl.Segmenter('en', { granularity: 'word' });

export function isUnspaced(text: string): boolean {
  return unspacedPattern.test(text);
}

/** Segments text in a script without spaces; drops short runs of Hiragana, which are grammatical particles. */
export function segmentWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const { segment: word, isWordLike } of wordSegmenter.segment(text)) {
    if (isWordLike === true && !/^\p{Script=Hiragana}{1,3}$/u.test(word)) words.push(word);
  }
  return words;
}

/** A longer identifier is data, such as base64. */
const identifierCharsMax = 64;

/** Extracts words that the index's tokenizer misses: parts of identifiers, and words in unspaced scripts. */
export function extractHiddenWords(text: string): string {
  const hidden: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (isUnspaced(word)) hidden.push(...segmentWords(word));
    else if (word.length <= identifierCharsMax && /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(word)) {
      hidden.push(...splitIdentifier(word));
    }
  }
  return hidden.join(' ').slice(0, 2 * passageLimits.chars);
}

/** A word or quoted phrase to search for. */
export type SearchTerm = {
  readonly text: string;
  /** An FTS5 expression in which all query text is quoted. */
  readonly expression: string;
};

/**
 * Parses a free-form query into terms: words, `"quoted phrases"`, identifiers, file names. It has no operators. Stop
 * words such as "the" and "how" count only if there are no other words, and symbols such as emoji only if there are no
 * words at all; only a blank query has no terms.
 */
export function parseSearchTerms(query: string): readonly SearchTerm[] {
  const text = query.slice(0, queryLimits.chars).replace(/\p{Cc}/gu, ' ');
  const phrases = [...text.matchAll(/"([^"]+)"|“([^”]+)”|`([^`]+)`/g)].map(
    ([, a, b, c]) => a ?? b ?? c ?? '',
  );
  const words = text
    .replace(/"[^"]+"|“[^”]+”|`[^`]+`/g, ' ')
    .split(/\s+/)
    .flatMap((word) => (isUnspaced(word) ? segmentWords(word) : [trimWord(word)]));
  const contentWords = words.filter((word) => !isStopWord(word));
  const chosen = [[...phrases, ...contentWords], words, [text]].find((choice) => choice.some(hasWord)) ?? [
    text,
  ];
  return dedupeTerms(chosen).map((term) => ({ text: term, expression: toExpression(term) }));
}

/** Removes the surrounding punctuation and a possessive `'s`. */
function trimWord(word: string): string {
  const cut = word.slice(0, queryLimits.termChars);
  return cut.replace(/^[^\p{L}\p{N}]+/u, '').replace(/(?:['’]s)?[^\p{L}\p{N}]*$/u, '');
}

function hasWord(term: string): boolean {
  return /[\p{L}\p{N}]/u.test(term);
}

function dedupeTerms(terms: readonly string[]): readonly string[] {
  const byStem = new Map<string, string>();
  for (const each of terms) {
    const term = each.trim().slice(0, queryLimits.termChars);
    const key = stemWord(term);
    if (term !== '' && !byStem.has(key)) byStem.set(key, term);
  }
  return [...byStem.values()].slice(0, queryLimits.terms);
}

/** An identifier also matches the sequence of words inside it. */
function toExpression(term: string): string {
  const parts = isUnspaced(term) ? segmentWords(term) : splitIdentifier(term);
  return parts.length > 1
    ? `(${quoteFtsTerm(term)} OR ${quoteFtsTerm(parts.join(' '))})`
    : quoteFtsTerm(term);
}

function quoteFtsTerm(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
