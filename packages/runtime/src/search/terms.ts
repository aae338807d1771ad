import { queryLimits } from './limits.ts';
import { isStopWord, isUnspaced, segmentWords, splitIdentifier, stemWord } from './words.ts';

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
