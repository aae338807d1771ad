import { queryLimits } from './limits.ts';
import { isStopWord, isUnspaced, segment, splitIdentifier, stem } from './words.ts';

/** A word or quoted phrase that is looked for. */
export type Term = {
  readonly text: string;
  /** As an FTS5 expression in which nothing of the query is syntax. */
  readonly expression: string;
};

/**
 * The terms of a query that anybody may have written: words, `"quoted phrases"`, identifiers, file names. Nothing in it
 * is an operator. Words such as "the" and "how" count only when there are no others, and signs such as emoji only when
 * there are no words; only a blank query has no terms.
 */
export function termsOf(query: string): readonly Term[] {
  const text = query.slice(0, queryLimits.chars).replace(/\p{Cc}/gu, ' ');
  const phrases = [...text.matchAll(/"([^"]+)"|“([^”]+)”|`([^`]+)`/g)].map(
    ([, a, b, c]) => a ?? b ?? c ?? '',
  );
  const words = text
    .replace(/"[^"]+"|“[^”]+”|`[^`]+`/g, ' ')
    .split(/\s+/)
    .flatMap((word) => (isUnspaced(word) ? segment(word) : [trim(word)]));
  const telling = words.filter((word) => !isStopWord(word));
  const chosen = [[...phrases, ...telling], words, [text]].find((choice) => choice.some(hasWord)) ?? [text];
  return distinct(chosen).map((term) => ({ text: term, expression: toExpression(term) }));
}

/** Without the punctuation around it and the `'s` of a possessive. */
function trim(word: string): string {
  const cut = word.slice(0, queryLimits.termChars);
  return cut.replace(/^[^\p{L}\p{N}]+/u, '').replace(/(?:['’]s)?[^\p{L}\p{N}]*$/u, '');
}

function hasWord(term: string): boolean {
  return /[\p{L}\p{N}]/u.test(term);
}

function distinct(terms: readonly string[]): readonly string[] {
  const byStem = new Map<string, string>();
  for (const each of terms) {
    const term = each.trim().slice(0, queryLimits.termChars);
    const key = stem(term);
    if (term !== '' && !byStem.has(key)) byStem.set(key, term);
  }
  return [...byStem.values()].slice(0, queryLimits.terms);
}

/** An identifier is also looked for by the words inside it, side by side. */
function toExpression(term: string): string {
  const parts = isUnspaced(term) ? segment(term) : splitIdentifier(term);
  return parts.length > 1 ? `(${quote(term)} OR ${quote(parts.join(' '))})` : quote(term);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
