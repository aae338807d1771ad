import type { PassageDatabase, PassageRow } from './database.ts';
import { queryLimits } from './limits.ts';
import type { TermLookup } from './lookup.ts';

export type RankedPassage = {
  readonly row: PassageRow;
  readonly terms: readonly string[];
  readonly score: number;
};

/**
 * BM25 selects the candidates; passages that contain more of the terms, weighted by rarity, then rank first, because a
 * long passage that repeats one word rarely answers a question with four words.
 */
export function rankPassages(
  passages: PassageDatabase,
  lookups: readonly TermLookup[],
): readonly RankedPassage[] {
  const scores = scoreCandidates(passages, lookups);
  const ids = JSON.stringify([...scores.keys()]);
  const amongCandidates = 'rowid IN (SELECT value FROM json_each(?))';
  const idsByTerm = lookups.map(({ condition, value }) => {
    const rows = passages.all(
      `SELECT rowid AS id FROM passages WHERE ${condition} AND ${amongCandidates}`,
      value,
      ids,
    );
    return new Set(rows.map((row) => row['id']));
  });
  const totalWeight = lookups.reduce((sum, { weight }) => sum + weight, 0);
  return passages
    .all(`SELECT rowid AS id, path, first, last, heading, text FROM passages WHERE ${amongCandidates}`, ids)
    .map((row): RankedPassage => {
      const matched = lookups.filter((_, index) => idsByTerm[index]?.has(row['id']));
      const coverage = matched.reduce((sum, { weight }) => sum + weight, 0) / totalWeight;
      const nameFactor = Math.max(
        1,
        ...matched.map(({ term }) => computeNameFactor(String(row['path']), term, Number(row['first']))),
      );
      const score = (scores.get(Number(row['id'])) ?? 0) * coverage ** 2 * nameFactor;
      return { row, terms: matched.map(({ term }) => term), score };
    })
    .toSorted((a, b) => b.score - a.score || Number(a.row['id']) - Number(b.row['id']));
}

/**
 * A file requested by name ranks highest, above all its beginning; a file named after the term gets a smaller bonus.
 */
function computeNameFactor(path: string, term: string, first: number): number {
  const name = `/${path}`.toLowerCase();
  const target = `/${term.toLowerCase()}`;
  if (name.endsWith(target)) return 3 + 30 / (9 + first);
  return name.replace(/\.\w+$/, '').endsWith(target) ? 1.5 : 1;
}

/** BM25 weights for text, heading, outer headings, path and hidden words: a word closer to the passage weighs more. */
const wordScore = '-bm25(passages, 1.0, 3.0, 0.5, 1.5, 0.6) * weight';

function scoreCandidates(
  passages: PassageDatabase,
  lookups: readonly TermLookup[],
): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  const words = lookups.filter(({ found }) => found === 'word').map(({ value }) => value);
  // Passages with all words may rank too low among those with any word, so query both.
  const expressions = new Set(words.length > 0 ? [words.join(' AND '), words.join(' OR ')] : []);
  for (const expression of expressions) {
    const sql = `SELECT rowid AS id, ${wordScore} AS score FROM passages WHERE passages MATCH ? ORDER BY score DESC, id LIMIT ?`;
    for (const row of passages.all(sql, expression, queryLimits.candidates)) {
      scores.set(Number(row['id']), Number(row['score']));
    }
  }
  for (const { condition, value, weight } of lookups.filter(({ found }) => found === 'part')) {
    const sql = `SELECT rowid AS id, weight FROM passages WHERE ${condition} ORDER BY weight DESC, id LIMIT ?`;
    for (const row of passages.all(sql, value, queryLimits.candidates)) {
      const id = Number(row['id']);
      scores.set(id, (scores.get(id) ?? 0) + weight * Number(row['weight']));
    }
  }
  return scores;
}
