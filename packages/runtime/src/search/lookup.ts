import type { PassageDatabase } from './database.ts';
import { queryLimits } from './limits.ts';
import type { SearchTerm } from './terms.ts';

/** A term and the SQL condition for passages that contain it. */
export type TermLookup = {
  readonly term: string;
  /** As a whole word, only inside other words, or not at all. */
  readonly found: 'word' | 'part' | 'nowhere';
  /** Number of passages that contain it. */
  readonly passages: number;
  readonly condition: string;
  readonly value: string;
  /** The weight of the term; rarer terms weigh more. */
  readonly weight: number;
};

const wordCondition = 'passages MATCH ?';
const idsCondition = 'rowid IN (SELECT value FROM json_each(?))';

/**
 * Looks up each term as a word and, failing that, as a substring, so that text the index cannot tokenize is still
 * found.
 */
export function lookUpTerms(passages: PassageDatabase, terms: readonly SearchTerm[]): readonly TermLookup[] {
  const all = passages.size();
  let partsTried = 0;
  return terms.map(({ text, expression }): TermLookup => {
    const words = passages.count(wordCondition, expression);
    const word = { term: text, condition: wordCondition, value: expression, passages: words };
    if (words > 0) return { ...word, found: 'word', weight: computeTermWorth(words, all) };
    const tries = isDistinctiveTerm(text) && partsTried++ < queryLimits.substringTerms;
    const ids = tries ? findPassagesWithPart(passages, text) : [];
    const part = { term: text, condition: idsCondition, value: JSON.stringify(ids), passages: ids.length };
    // Half weight, because a match of `art` in `start` may be a coincidence.
    if (ids.length > 0) return { ...part, found: 'part', weight: computeTermWorth(ids.length, all) / 2 };
    return { ...part, found: 'nowhere', weight: computeTermWorth(0, all) };
  });
}

/** Counts the passages that contain at least one term. */
export function countMatchingPassages(passages: PassageDatabase, lookups: readonly TermLookup[]): number {
  const words = lookups.filter(({ found }) => found === 'word').map(({ value }) => value);
  const parts = lookups.filter(({ found }) => found === 'part');
  // As one expression the index merges the words itself, which is much cheaper than a union of their passages.
  const any = words.length > 0 ? [{ condition: wordCondition, value: words.join(' OR ') }, ...parts] : parts;
  if (any.length === 0) return 0;
  const each = any.map(({ condition }) => `SELECT rowid FROM passages WHERE ${condition}`);
  return passages.count(`rowid IN (${each.join(' UNION ')})`, ...any.map(({ value }) => value));
}

function computeTermWorth(passages: number, all: number): number {
  return Math.log(1 + (all + 1) / (passages + 1));
}

/** One or two Latin letters occur in nearly every text; a symbol or a character of another script does not. */
function isDistinctiveTerm(text: string): boolean {
  return text.length > 2 || /[^\p{Script=Latin}\p{N}\s]/u.test(text);
}

/** Scans all text, so it runs once per term and returns the passage ids. */
function findPassagesWithPart(passages: PassageDatabase, text: string): readonly number[] {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const sql = "SELECT rowid AS id FROM passages WHERE text LIKE ?1 ESCAPE '\\' OR path LIKE ?1 ESCAPE '\\'";
  const rows = passages.all(sql, pattern);
  return rows.map((row) => Number(row['id']));
}
