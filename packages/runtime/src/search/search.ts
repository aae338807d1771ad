import type { PassageDatabase } from './database.ts';
import { queryLimits } from './limits.ts';
import type { TermLookup } from './lookup.ts';
import { countMatchingPassages, lookUpTerms } from './lookup.ts';
import type { RankedPassage } from './rank.ts';
import { rankPassages } from './rank.ts';
import { findSimilarWord } from './spelling.ts';
import { parseSearchTerms } from './terms.ts';

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
