import type { Passages } from './database.ts';
import { queryLimits } from './limits.ts';
import type { Term } from './terms.ts';

/** A term, and the condition under which a passage has it. */
export type Lookup = {
  readonly term: string;
  /** As a word of its own, only inside other words, or nowhere. */
  readonly found: 'word' | 'part' | 'nowhere';
  /** How many passages have it. */
  readonly passages: number;
  readonly condition: string;
  readonly value: string;
  /** What having it is worth: the rarer, the more. */
  readonly worth: number;
};

const isWord = 'passages MATCH ?';
const isOneOf = 'rowid IN (SELECT value FROM json_each(?))';

/** Looks each term up as a word and, failing that, as a part of words: what the index cannot take apart is still found. */
export function lookUp(passages: Passages, terms: readonly Term[]): readonly Lookup[] {
  const all = passages.size();
  let partsTried = 0;
  return terms.map(({ text, expression }): Lookup => {
    const words = passages.count(isWord, expression);
    const word = { term: text, condition: isWord, value: expression, passages: words };
    if (words > 0) return { ...word, found: 'word', worth: worthOf(words, all) };
    const tries = isTelling(text) && partsTried++ < queryLimits.substringTerms;
    const ids = tries ? passagesWithPart(passages, text) : [];
    const part = { term: text, condition: isOneOf, value: JSON.stringify(ids), passages: ids.length };
    // Half, because to find `art` in `start` may mean nothing.
    if (ids.length > 0) return { ...part, found: 'part', worth: worthOf(ids.length, all) / 2 };
    return { ...part, found: 'nowhere', worth: worthOf(0, all) };
  });
}

/** How many passages have at least one of the terms. */
export function countAny(passages: Passages, lookups: readonly Lookup[]): number {
  const words = lookups.filter(({ found }) => found === 'word').map(({ value }) => value);
  const parts = lookups.filter(({ found }) => found === 'part');
  // As one expression the index joins the words itself, which is far cheaper than to join their passages.
  const any = words.length > 0 ? [{ condition: isWord, value: words.join(' OR ') }, ...parts] : parts;
  if (any.length === 0) return 0;
  const each = any.map(({ condition }) => `SELECT rowid FROM passages WHERE ${condition}`);
  return passages.count(`rowid IN (${each.join(' UNION ')})`, ...any.map(({ value }) => value));
}

function worthOf(passages: number, all: number): number {
  return Math.log(1 + (all + 1) / (passages + 1));
}

/** One or two letters are part of nearly every text; a sign or a character of another script is not. */
function isTelling(text: string): boolean {
  return text.length > 2 || /[^\p{Script=Latin}\p{N}\s]/u.test(text);
}

/** Reads all text, so it is done once per term and the passages are kept. */
function passagesWithPart(passages: Passages, text: string): readonly number[] {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const sql = "SELECT rowid AS id FROM passages WHERE text LIKE ?1 ESCAPE '\\' OR path LIKE ?1 ESCAPE '\\'";
  const rows = passages.all(sql, pattern);
  return rows.map((row) => Number(row['id']));
}
