import type { Json } from '../json.ts';
import { digest } from './digest.ts';
import { textUnder } from './text-under.ts';

const queryNames = [
  'query',
  'q',
  'search_term',
  'searchTerm',
  'search_query',
  'keyword',
  'keywords',
  'pattern',
];

/** Longer queries are told apart by their beginning. */
const queryMax = 500;

/** What a call searches for: the same words in another order, case or punctuation are the same question. */
export function queryOf(args: Json): string | null {
  const query = textUnder(args, queryNames);
  if (query === null) return null;
  const words = query
    .slice(0, queryMax)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return words.length === 0 ? null : digest(words.toSorted().join(' '));
}
