import type { Passages } from './database.ts';
import { queryLimits } from './limits.ts';
import type { Lookup } from './lookup.ts';
import { countAny, lookUp } from './lookup.ts';
import type { Ranked } from './rank.ts';
import { rank } from './rank.ts';
import { similarWord } from './spelling.ts';
import { termsOf } from './terms.ts';

/** A passage that was found. Lines count from 1; `last` is part of it. */
export type Hit = {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  /** The nearest heading above in a text with headings, else empty. */
  readonly heading: string;
  readonly text: string;
  /** From 1, the best first. */
  readonly rank: number;
  /** Which of the query's terms are in it. */
  readonly terms: readonly string[];
};

type SearchedTerm = Pick<Lookup, 'term' | 'found' | 'passages'> & {
  /** For a word found nowhere: one that is there and is spelt almost alike. */
  readonly similar: string | null;
};

export type SearchResult = {
  /** Whether some passage has all terms, or only any of them, or there is none. */
  readonly matched: 'all' | 'any' | 'none';
  /** How many passages have at least one term. */
  readonly total: number;
  readonly terms: readonly SearchedTerm[];
  readonly hits: readonly Hit[];
};

/** Finds passages for what anybody may type. Any text is a query; none is an error. */
export function search(passages: Passages, query: string, limit: number): SearchResult {
  const lookups = lookUp(passages, termsOf(query));
  const found = lookups.filter((lookup) => lookup.found !== 'nowhere');
  const ranked = rank(passages, found);
  return {
    matched: howMatched(ranked, lookups.length),
    total: countAny(passages, found),
    terms: withSimilar(passages, lookups),
    hits: ranked.slice(0, Math.min(limit, queryLimits.hits)).map(toHit),
  };
}

function howMatched(ranked: readonly Ranked[], terms: number): SearchResult['matched'] {
  if (ranked.length === 0) return 'none';
  return ranked.some((each) => each.terms.length === terms) ? 'all' : 'any';
}

function withSimilar(passages: Passages, lookups: readonly Lookup[]): readonly SearchedTerm[] {
  let tried = 0;
  return lookups.map(({ term, found, passages: count }) => {
    const tries = found === 'nowhere' && tried++ < queryLimits.similarTerms;
    return { term, found, passages: count, similar: tries ? similarWord(passages, term) : null };
  });
}

function toHit({ row, terms }: Ranked, index: number): Hit {
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
