import { computeEditDistance } from '../text/nearest-name.ts';
import type { PassageDatabase, PassageRow } from './database.ts';
import { queryLimits } from './limits.ts';
import { parseSearchTerms, type SearchTerm, foldWord, stemWord } from './words.ts';

/** A matching passage. Line numbers are 1-based, and `last` is inclusive. */
export type SearchHit = {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  /** The nearest heading above in a text with headings; otherwise empty. */
  readonly heading: string;
  readonly text: string;
  /** 1 is the best. */
  readonly rank: number;
  /** The query terms that it contains. */
  readonly terms: readonly string[];
};

type SearchedTerm = Pick<TermLookup, 'term' | 'found' | 'passages'> & {
  /** For a term without matches: an existing word with similar spelling. */
  readonly similar: string | null;
};

export type SearchResult = {
  /** Whether some passage contains all terms, some passages contain any term, or none do. */
  readonly matched: 'all' | 'any' | 'none';
  /** Number of passages with at least one term. */
  readonly total: number;
  readonly terms: readonly SearchedTerm[];
  readonly hits: readonly SearchHit[];
};

/** Searches passages for free-form text. Any text is a valid query. */
export function searchPassages(passages: PassageDatabase, query: string, limit: number): SearchResult {
  const lookups = lookUpTerms(passages, parseSearchTerms(query));
  const matchedLookups = lookups.filter((lookup) => lookup.found !== 'nowhere');
  const ranked = rankPassages(passages, matchedLookups);
  return {
    matched: classifyMatch(ranked, lookups.length),
    total: countMatchingPassages(passages, matchedLookups),
    terms: addSimilarWords(passages, lookups),
    hits: ranked.slice(0, Math.min(limit, queryLimits.hits)).map(toHit),
  };
}

function classifyMatch(ranked: readonly RankedPassage[], terms: number): SearchResult['matched'] {
  if (ranked.length === 0) return 'none';
  return ranked.some((each) => each.terms.length === terms) ? 'all' : 'any';
}

function addSimilarWords(passages: PassageDatabase, lookups: readonly TermLookup[]): readonly SearchedTerm[] {
  let tried = 0;
  return lookups.map(({ term, found: matchedLookups, passages: count }) => {
    const tries = matchedLookups === 'nowhere' && tried++ < queryLimits.similarTerms;
    return {
      term,
      found: matchedLookups,
      passages: count,
      similar: tries ? findSimilarWord(passages, term) : null,
    };
  });
}

function toHit({ row, terms }: RankedPassage, index: number): SearchHit {
  return {
    path: String(row['path']),
    first: Number(row['first']),
    last: Number(row['last']),
    heading: String(row['heading']),
    text: String(row['text']),
    rank: index + 1,
    terms,
  };
}

export type RankedPassage = {
  readonly row: PassageRow;
  readonly terms: readonly string[];
  readonly score: number;
};

/**
 * BM25 selects the candidates; passages that contain more of the terms, weighted by rarity, then rank first, because a
 * long passage that repeats one word rarely answers a question with four words.
 */
function rankPassages(passages: PassageDatabase, lookups: readonly TermLookup[]): readonly RankedPassage[] {
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
function lookUpTerms(passages: PassageDatabase, terms: readonly SearchTerm[]): readonly TermLookup[] {
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
function countMatchingPassages(passages: PassageDatabase, lookups: readonly TermLookup[]): number {
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

/** Finds the indexed word closest in spelling to one without matches: one edit away, or two for a long word. */
function findSimilarWord(passages: PassageDatabase, word: string): string | null {
  const target = foldWord(word);
  if (target.length < lettersMin || target.length > lettersMax || !/^\p{L}+$/u.test(target)) return null;
  const root = findClosestStem(passages, target);
  return root === null ? null : (findWrittenWord(passages, root, target) ?? root);
}

const lettersMin = 4;
const lettersMax = 40;
const longWord = 9;

/** Larger distances are not distinguished. */
const slipsMax = 3;

/** Nearly every word is close to a shorter one, so a shorter word must have the same letters. */
const shortWord = 6;

/** Of several equally close stems, picks the one in most passages. */
function findClosestStem(passages: PassageDatabase, target: string): string | null {
  const root = stemWord(target);
  const getDistance = (term: string) =>
    Math.min(
      computeEditDistance(root, stemWord(term), slipsMax),
      computeEditDistance(target, term, slipsMax),
    );
  const isLikely = (term: string) => target.length >= shortWord || sortLetters(target) === sortLetters(term);
  // The first letter is usually right, and restricting the scan to it keeps it fast.
  const letter = target.slice(0, 1);
  const sql =
    'SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? ORDER BY doc DESC, term';
  let best = { stem: '', distance: target.length < longWord ? 2 : 3 };
  for (const row of passages.all(sql, letter, `${letter}\u{10ffff}`, root.length - 2, target.length + 2)) {
    const term = String(row['term']);
    const distance = isLikely(term) ? getDistance(term) : slipsMax;
    if (distance < best.distance) best = { stem: term, distance };
  }
  return best.stem === '' ? null : best.stem;
}

function sortLetters(word: string): string {
  return Array.from(word).toSorted().join('');
}

/** A stem is not a word, so find the word in a text that has this stem. */
function findWrittenWord(passages: PassageDatabase, root: string, target: string): string | null {
  const sql = 'SELECT text, heading, path FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 1';
  const [row] = passages.all(sql, `"${root}"`);
  const words =
    Object.values(row ?? {})
      .join(' ')
      .match(/\p{L}+/gu) ?? [];
  const near = words.map((word) => ({
    word: foldWord(word),
    distance: computeEditDistance(foldWord(word), target, slipsMax),
  }));
  const best = near.reduce((a, b) => (b.distance < a.distance ? b : a), { word: '', distance: slipsMax });
  return best.word === '' ? null : best.word;
}
